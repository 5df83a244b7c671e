package io.rocketbufs.rocketlog.client;

/**
 * The reaction of a consumer when records no longer exist that it has not read: retention has deleted them, or, in
 * memory, newer ones have overwritten them.
 */
public enum GapPolicy {
    /** Fails with {@link LogClientException.Code#DELETED}. */
    FAIL,
    /** Reports the gap to {@link RecordCallback#onGap}, and continues with the oldest record. */
    SKIP,
    /** {@link #SKIP} for topics in memory, which keep only the newest records, and {@link #FAIL} for others. */
    BY_STORAGE
}
