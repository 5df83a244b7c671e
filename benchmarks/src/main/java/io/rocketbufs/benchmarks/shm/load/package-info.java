/** The processes that exchange messages, over RocketBufs or Aeron. */
package io.rocketbufs.benchmarks.shm.load;
