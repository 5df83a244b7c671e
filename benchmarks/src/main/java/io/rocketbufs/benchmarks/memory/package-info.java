/** JMH benchmarks of the memory pool. The pool is not on the data path, so it may allocate objects. */
package io.rocketbufs.benchmarks.memory;
