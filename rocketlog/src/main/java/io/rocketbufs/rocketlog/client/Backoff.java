package io.rocketbufs.rocketlog.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The waiting strategy of a consumer that has read everything: it looks again at once a few times, and then after
 * delays that double up to a limit. A look costs one read of 8 bytes: a round trip, and no call of the broker. An idle
 * consumer with the default limit of 1 ms therefore looks at most a thousand times a second; a busy one never waits.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class Backoff {
    private static final int LOOKS_WITHOUT_DELAY = 16;
    private static final long SHORTEST_DELAY_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final long longestDelayNs;
    private int looks;
    private long delayNs = SHORTEST_DELAY_NS;

    Backoff(long longestDelayMs) {
        this.longestDelayNs = TimeUnit.MILLISECONDS.toNanos(longestDelayMs);
    }

    /** Begins again without a delay, because something was found. */
    void reset() {
        looks = 0;
        delayNs = SHORTEST_DELAY_NS;
    }

    /** Returns the delay before the next look in nanoseconds. */
    long nextDelayNs() {
        if (looks < LOOKS_WITHOUT_DELAY) {
            looks++;
            return 0;
        }
        long delay = delayNs;
        delayNs = Math.min(2 * delayNs, longestDelayNs);
        return Math.min(delay, longestDelayNs);
    }

    /** Waits before the next look, for the given time in nanoseconds at most; an interrupt ends the wait. */
    void pause(long mostNs) {
        long delay = Math.min(nextDelayNs(), mostNs);
        if (delay > 0) {
            LockSupport.parkNanos(this, delay);
        }
    }
}
