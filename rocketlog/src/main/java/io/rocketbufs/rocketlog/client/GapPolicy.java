package io.rocketbufs.rocketlog.client;

/**
 * How a consumer reacts when records that it has not read no longer exist because retention deleted them or, in memory,
 * newer ones overwrote them.
 */
public enum GapPolicy {
    /** Fails with {@link LogClientException.Code#DELETED}. */
    FAIL,
    /** Reports the gap to {@link RecordCallback#onGap}, and continues with the oldest record. */
    SKIP,
    /**
     * Acts like {@link #SKIP} for topics in memory, which keep only the newest records, and like {@link #FAIL} for
     * others.
     */
    BY_STORAGE
}
