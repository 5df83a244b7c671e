/**
 * Measurements of RocketBufs: the cost of single design choices within one run, and the parts common to all
 * measurements.
 */
package io.rocketbufs.benchmarks;
