package io.rocketbufs.rocketlog.client;

import java.nio.ByteBuffer;

/** Receives the records that a consumer reads, on the thread that polls. It must not call the consumer. */
@FunctionalInterface
public interface RecordCallback {
    /**
     * Called for each record. The offsets of a partition ascend. If this throws, the record counts as not consumed, and
     * the partition continues with it.
     *
     * @param timestamp milliseconds since 1970, set by the producer
     * @param key read-only, or null; valid during the call
     * @param value read-only, or null; valid during the call
     * @return false to end the poll after this record
     */
    boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value);

    /**
     * Called before the first record after a gap: retention has deleted the records before the consumer has read them,
     * or newer records in memory have overwritten them. The {@link GapPolicy} decides whether this is called.
     *
     * <p>When the broker of a topic in memory has been restarted, its records are lost, and the offsets continue with a
     * higher one, so the difference is not the number of records.
     *
     * @param firstOffset offset of the first missing record
     * @param nextOffset offset of the first record after the gap
     */
    default void onGap(int partition, long firstOffset, long nextOffset) {}
}
