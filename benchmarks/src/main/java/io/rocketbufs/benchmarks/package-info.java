/**
 * Benchmarks of RocketBufs: programs that measure the cost of a single design choice in one run, and classes shared by
 * all benchmarks.
 */
package io.rocketbufs.benchmarks;
