/** Measurements of RocketBufs: inner loops with JMH, and what a choice costs by comparison within one run. */
package io.rocketbufs.benchmarks;
