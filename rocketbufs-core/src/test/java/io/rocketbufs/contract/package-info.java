/** The requirements on every transport: one suite that a backend subclasses in ten lines. */
package io.rocketbufs.contract;
