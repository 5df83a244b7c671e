package io.rocketbufs.rocketlog.client;

/** The reaction of a consumer when retention has deleted records before it has read them. */
public enum GapPolicy {
    /** Fails with {@link LogClientException.Code#DELETED}. */
    FAIL,
    /** Reports the gap to {@link RecordCallback#onGap}, and continues with the oldest record. */
    SKIP
}
