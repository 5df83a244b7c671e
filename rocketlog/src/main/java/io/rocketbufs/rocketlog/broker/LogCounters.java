package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.atomic.LongAdder;

/**
 * What has happened since the broker was started, in all partitions together. They belong to the broker, so that the
 * totals stay what they are when a topic is deleted.
 *
 * <p><i>Thread-safety:</i> any thread. Counting does not block. It allocates only where threads compete for a counter,
 * and there once for each processor.
 */
final class LogCounters {
    /** Batches appended. */
    final LongAdder appendedBatches = new LongAdder();

    /** Bytes in them. */
    final LongAdder appendedBytes = new LongAdder();

    /** Batches that producers have sent again, and that were not appended again. */
    final LongAdder duplicateBatches = new LongAdder();

    /** Batches that were not appended. */
    final LongAdder refusedBatches = new LongAdder();

    /** Batches that producers have written into the log themselves, among those appended. */
    final LongAdder writtenBatches = new LongAdder();

    /** Records whose memory has been reused. */
    final LongAdder overwrittenRecords = new LongAdder();

    /** Questions of producers for leases. */
    final LongAdder leaseRequests = new LongAdder();

    /** Leases that have begun. */
    final LongAdder startedLeases = new LongAdder();

    /** Leases during which a producer has changed an acknowledged batch. */
    final LongAdder changedLeases = new LongAdder();

    /** Shared leases that have ended because batches could not be appended in their order. */
    final LongAdder brokenLeases = new LongAdder();

    /** Segments that consumers have opened. */
    final LongAdder openedSegments = new LongAdder();

    /** Segments that consumers have closed, or had open when their connections ended. */
    final LongAdder closedSegments = new LongAdder();

    /** Messages of consumers that close segments; those of a connection that has ended need none. */
    final LongAdder closeRequests = new LongAdder();

    /** Messages of consumers that wait for records. */
    final LongAdder waitRequests = new LongAdder();

    /** Deleted segments that have been taken from consumers. */
    final LongAdder revokedSegments = new LongAdder();
}
