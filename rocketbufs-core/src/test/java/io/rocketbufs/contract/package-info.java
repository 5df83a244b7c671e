/** The requirements for every transport: one test suite that each backend subclasses in ten lines. */
package io.rocketbufs.contract;
