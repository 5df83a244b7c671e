package io.rocketbufs.rocketlog.client;

import java.nio.ByteBuffer;

/** Receives the records that a consumer reads, on the thread that polls. */
@FunctionalInterface
public interface RecordCallback {
    /**
     * Called for each record, in the order of offsets. If this throws, the record counts as not consumed, and the next
     * poll begins with it.
     *
     * @param timestamp milliseconds since 1970
     * @param key read-only, or null; valid during the call
     * @param value read-only, or null; valid during the call
     * @return false to end the poll after this record
     */
    boolean onRecord(long offset, long timestamp, ByteBuffer key, ByteBuffer value);
}
