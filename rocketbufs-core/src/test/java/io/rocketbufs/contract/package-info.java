/** What every transport must make possible: one suite that a backend subclasses in ten lines. */
package io.rocketbufs.contract;
