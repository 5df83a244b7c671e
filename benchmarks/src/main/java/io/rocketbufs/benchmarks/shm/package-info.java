/**
 * The comparison of the shared-memory transport with other ways to exchange messages between processes on the same
 * machine.
 */
package io.rocketbufs.benchmarks.shm;
