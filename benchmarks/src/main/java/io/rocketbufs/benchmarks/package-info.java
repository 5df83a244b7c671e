/** Measurements of RocketBufs: what a choice costs by comparison within one run, and what all measurements share. */
package io.rocketbufs.benchmarks;
