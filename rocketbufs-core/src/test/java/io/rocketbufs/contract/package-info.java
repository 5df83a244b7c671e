/** The requirements for every transport: one test suite, which each transport subclasses in ten lines. */
package io.rocketbufs.contract;
