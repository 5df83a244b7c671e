/** The requirements on every transport: one suite of tests that each backend subclasses in ten lines. */
package io.rocketbufs.contract;
