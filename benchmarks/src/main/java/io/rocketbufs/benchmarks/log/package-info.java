/** Benchmarks of the durable log. */
package io.rocketbufs.benchmarks.log;
