package io.rocketbufs.rocketlog.record;

import java.nio.ByteBuffer;

/**
 * The limits for batches from untrusted clients. Even a valid batch can cause harm. A timestamp far in the future
 * prevents retention from deleting the segment by age. The record count of a compressed batch can be verified only by
 * decompressing it.
 *
 * <p><i>Thread-safety:</i> immutable.
 *
 * @param allowsCompression whether compressed batches are accepted
 * @param longestLeadMs how far the largest timestamp may be ahead of this machine's clock, in milliseconds
 */
public record BatchLimits(boolean allowsCompression, long longestLeadMs) {
    /** Accepts every valid batch. */
    public static final BatchLimits NONE = new BatchLimits(true, Long.MAX_VALUE);

    /** Returns the first limit that the batch at the buffer's position exceeds, or VALID. */
    public BatchVerdict check(ByteBuffer buffer) {
        int batch = buffer.position();
        if (!allowsCompression && (RecordBatchLayout.attributes(buffer, batch) & RecordBatchLayout.COMPRESSION) != 0) {
            return BatchVerdict.COMPRESSED;
        }
        // Read the clock only if there is a limit.
        boolean isAhead = longestLeadMs != Long.MAX_VALUE
                && RecordBatchLayout.largestTimestamp(buffer, batch) - longestLeadMs > System.currentTimeMillis();
        return isAhead ? BatchVerdict.FUTURE_TIMESTAMP : BatchVerdict.VALID;
    }
}
