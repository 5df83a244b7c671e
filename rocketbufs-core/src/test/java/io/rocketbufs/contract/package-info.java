/** The requirements for every transport: one test suite, which each transport subclasses in about ten lines. */
package io.rocketbufs.contract;
