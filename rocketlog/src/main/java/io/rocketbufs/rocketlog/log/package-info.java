/**
 * The log of a partition on the disk of one machine: segment files, their indexes, recovery, retention and group flush.
 * This package has no network code. A log can also be kept in memory only, in segments that are reused.
 *
 * <p>{@link io.rocketbufs.rocketlog.log.LogDirectory} locks a directory and opens the
 * {@link io.rocketbufs.rocketlog.log.PartitionLog} of each partition; {@link io.rocketbufs.rocketlog.log.MemoryLogs}
 * creates those in memory.
 */
package io.rocketbufs.rocketlog.log;
