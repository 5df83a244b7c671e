package io.rocketbufs.rocketlog.client;

import java.nio.ByteBuffer;

/** A callback for the records that a consumer reads, called by the thread that polls. It must not call the consumer. */
@FunctionalInterface
public interface RecordCallback {
    /**
     * Called for each record, in ascending order of the offsets in each partition. If this method throws an exception,
     * the record counts as not consumed, and the next poll delivers it again.
     *
     * @param timestamp time in milliseconds since 1970, set by the producer
     * @param key read-only key of the record, valid during the call; null if there is none
     * @param value read-only value of the record, valid during the call; null if there is none
     * @return false to end the poll after this record
     */
    boolean onRecord(int partition, long offset, long timestamp, ByteBuffer key, ByteBuffer value);

    /**
     * Called before the first record after a gap. A gap consists of records that were deleted by retention, or
     * overwritten by newer records in memory, before the consumer read them. The {@link GapPolicy} determines whether
     * this method is called.
     *
     * <p>When a broker restarts, the records of a topic in memory are lost, and its offsets continue from a higher
     * value. In this case, the difference between the offsets is not the number of missing records.
     *
     * @param firstOffset offset of the first missing record
     * @param nextOffset offset of the first record after the gap
     */
    default void onGap(int partition, long firstOffset, long nextOffset) {}
}
