package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.atomic.LongAdder;

/**
 * Totals over all partitions since the broker started. Because the totals belong to the broker, deleting a topic does
 * not change them.
 *
 * <p><i>Thread-safety:</i> any thread. Counting does not block. It allocates memory only when threads contend for a
 * counter, at most once for each processor.
 */
final class LogCounters {
    /** Messages received from clients. */
    final RequestCounts requests = new RequestCounts();

    /** Batches appended. */
    final LongAdder appendedBatches = new LongAdder();

    /** Bytes in the appended batches. */
    final LongAdder appendedBytes = new LongAdder();

    /** Batches that producers sent again, and that were therefore not appended. */
    final LongAdder duplicateBatches = new LongAdder();

    /** Batches that the broker refused to append. */
    final BatchRefusals refusedBatches = new BatchRefusals();

    /** Appended batches that producers wrote directly into the log. */
    final LongAdder writtenBatches = new LongAdder();

    /** Records in memory that newer records have overwritten. */
    final LongAdder overwrittenRecords = new LongAdder();

    /** Leases that have started. */
    final LongAdder startedLeases = new LongAdder();

    /** Leases during which a producer changed an acknowledged batch. */
    final LongAdder changedLeases = new LongAdder();

    /** Shared leases that ended because batches could not be appended in order. */
    final LongAdder brokenLeases = new LongAdder();

    /** Segments that consumers have opened. */
    final LongAdder openedSegments = new LongAdder();

    /** Segments that consumers have closed, or had open when their connections ended. */
    final LongAdder closedSegments = new LongAdder();

    /** Deleted segments to which the broker revoked a consumer's access. */
    final LongAdder revokedSegments = new LongAdder();
}
