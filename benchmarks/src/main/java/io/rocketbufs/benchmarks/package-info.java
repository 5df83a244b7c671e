/**
 * Benchmarks of RocketBufs: programs that measure the cost of a single design choice within one run, and classes that
 * all benchmarks share.
 */
package io.rocketbufs.benchmarks;
