/** Comparison of the shared-memory transport with other ways to exchange messages between processes of one machine. */
package io.rocketbufs.benchmarks.shm;
