/** JMH benchmarks of the memory pool, which is not on the data path and may allocate. */
package io.rocketbufs.benchmarks.memory;
