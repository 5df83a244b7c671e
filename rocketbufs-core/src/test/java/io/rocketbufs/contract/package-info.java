/** The requirements for every transport, as one test suite that each transport subclasses in about ten lines. */
package io.rocketbufs.contract;
