package io.rocketbufs.rocketlog.client;

import java.util.concurrent.TimeUnit;

/**
 * The delays of a consumer that has read everything: it looks again at once a few times, and then after delays that
 * double up to a limit. A look reads 8 bytes for each partition, and is a round trip.
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
        return delay;
    }
}
