package io.rocketbufs.rbmq.broker;

/**
 * The time that a publisher has spent waiting for subscribers. Time during which it waits on several topics or for
 * several subscribers counts once.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class WaitTime {
    /** Waits before this time have already been counted. */
    private long endMs = Long.MIN_VALUE;

    /** Counts a wait that ends now. Returns the part of it, in milliseconds, that had not been counted yet. */
    synchronized long add(long nowMs, long lengthMs) {
        long startMs = Math.max(endMs, nowMs - lengthMs);
        endMs = Math.max(endMs, nowMs);
        long addedMs = Math.max(0, nowMs - startMs);
        return addedMs;
    }
}
