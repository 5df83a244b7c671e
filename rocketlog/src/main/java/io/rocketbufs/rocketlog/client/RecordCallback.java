package io.rocketbufs.rocketlog.client;

import java.nio.ByteBuffer;

/** Receives the records that a consumer reads, on the thread that polls. It must not call the consumer. */
@FunctionalInterface
public interface RecordCallback {
    /**
     * Called for each record. The offsets of a partition are ascending. If this throws, the record counts as not
     * consumed, and the next poll delivers it again.
     *
     * @param timestamp milliseconds since 1970, set by the producer
     * @param key read-only, or null; valid during the call
     * @param value read-only, or null; valid during the call
     * @return false to end the poll after this record
     */
    boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value);

    /**
     * Called before the first record after a gap: retention deleted records before the consumer read them, or newer
     * records in memory overwrote them. The {@link GapPolicy} determines whether this is called.
     *
     * <p>When the broker of a topic in memory restarts, the topic's records are lost and its offsets continue from a
     * higher value, so the difference between the offsets is not the number of records.
     *
     * @param firstOffset offset of the first missing record
     * @param nextOffset offset of the first record after the gap
     */
    default void onGap(int partition, long firstOffset, long nextOffset) {}
}
