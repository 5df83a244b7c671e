package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.atomic.LongAdder;

/**
 * Totals over all partitions since the broker started. They belong to the broker, so they are unaffected by deleting a
 * topic.
 *
 * <p><i>Thread-safety:</i> any thread. Counting does not block. It allocates only when threads contend for a counter,
 * and then once for each processor.
 */
final class LogCounters {
    /** Batches appended. */
    final LongAdder appendedBatches = new LongAdder();

    /** Bytes in them. */
    final LongAdder appendedBytes = new LongAdder();

    /** Batches that producers sent again, and that were not appended again. */
    final LongAdder duplicateBatches = new LongAdder();

    /** Batches that were not appended. */
    final LongAdder refusedBatches = new LongAdder();

    /** Appended batches that producers wrote into the log themselves. */
    final LongAdder writtenBatches = new LongAdder();

    /** Records whose memory has been reused. */
    final LongAdder overwrittenRecords = new LongAdder();

    /** Producers' requests for leases. */
    final LongAdder leaseRequests = new LongAdder();

    /** Leases that have begun. */
    final LongAdder startedLeases = new LongAdder();

    /** Leases during which a producer changed an acknowledged batch. */
    final LongAdder changedLeases = new LongAdder();

    /** Shared leases that ended because batches could not be appended in order. */
    final LongAdder brokenLeases = new LongAdder();

    /** Segments that consumers have opened. */
    final LongAdder openedSegments = new LongAdder();

    /** Segments that consumers have closed, or had open when their connections ended. */
    final LongAdder closedSegments = new LongAdder();

    /** Messages of consumers that close segments; those of a connection that has ended need none. */
    final LongAdder closeRequests = new LongAdder();

    /** Messages of consumers that wait for records. */
    final LongAdder waitRequests = new LongAdder();

    /** Deleted segments that were taken from consumers. */
    final LongAdder revokedSegments = new LongAdder();
}
