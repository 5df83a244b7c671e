package io.rocketbufs.rbmq.broker;

/**
 * The time in which a publisher has waited for subscribers. Time in which it waits on several topics, or for several
 * subscribers, counts once.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class WaitTime {
    /** The waits before this time have been counted. */
    private long endMs = Long.MIN_VALUE;

    /** Counts a wait that ends now, and returns how much of it had not been counted, in milliseconds. */
    synchronized long add(long nowMs, long lengthMs) {
        long startMs = Math.max(endMs, nowMs - lengthMs);
        endMs = Math.max(endMs, nowMs);
        long addedMs = Math.max(0, nowMs - startMs);
        return addedMs;
    }
}
