/**
 * The log of a partition on the disk of one machine: segment files, their indexes, recovery, retention and group flush.
 * A log can also be kept only in memory, in segments that are reused. This package contains no network code.
 *
 * <p>{@link io.rocketbufs.rocketlog.log.LogDirectory} locks a directory and opens the
 * {@link io.rocketbufs.rocketlog.log.PartitionLog} of each partition; {@link io.rocketbufs.rocketlog.log.MemoryLogs}
 * creates the logs in memory.
 */
package io.rocketbufs.rocketlog.log;
