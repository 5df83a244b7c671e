package io.rocketbufs.rocketlog.client;

/**
 * A consumer's reaction to a gap, that is, to unread records that no longer exist because retention deleted them or, in
 * memory, newer records overwrote them.
 */
public enum GapPolicy {
    /** Fails with {@link LogClientException.Code#DELETED}. */
    FAIL,
    /** Reports the gap to {@link RecordCallback#onGap}, and continues with the oldest existing record. */
    SKIP,
    /**
     * Acts like {@link #SKIP} for topics in memory, which keep only the newest records, and like {@link #FAIL} for
     * topics on the disk.
     */
    BY_STORAGE
}
