package io.rocketbufs.rocketlog.client;

import java.util.concurrent.TimeUnit;

/**
 * The delays between the polls of a consumer that has read everything: each is an eighth of the time since it last
 * found a record. The next record is therefore delayed by at most an eighth of the idle period before it. After a
 * longer idle period, the consumer need not poll, because the broker can notify it of the next record.
 *
 * <p><i>Thread-safety:</i> one thread.
 */
final class Backoff {
    private static final int FRACTION = 8;
    private static final long SHORTEST_DELAY_NS = TimeUnit.MICROSECONDS.toNanos(20);

    private final long pollTimeNs;
    private final long longestDelayNs;
    private long foundNs;

    /**
     * @param pollTimeMs length of the idle period after which the consumer may wait, in milliseconds
     * @param longestDelayMs limit of all delays, in milliseconds
     */
    Backoff(long pollTimeMs, long longestDelayMs, long nowNs) {
        this.pollTimeNs = TimeUnit.MILLISECONDS.toNanos(pollTimeMs);
        this.longestDelayNs = TimeUnit.MILLISECONDS.toNanos(longestDelayMs);
        this.foundNs = nowNs;
    }

    /** Returns to short delays, because a record has been found or announced. */
    void reset(long nowNs) {
        foundNs = nowNs;
    }

    /** Returns the delay before the next poll, in nanoseconds; 0 for the first polls. */
    long delayNs(long nowNs) {
        long delay = Math.min((nowNs - foundNs) / FRACTION, longestDelayNs);
        return delay < SHORTEST_DELAY_NS ? 0 : delay;
    }

    /** Returns true if the idle period is long enough to wait for the broker. */
    boolean isLong(long nowNs) {
        return nowNs - foundNs >= pollTimeNs;
    }

    /** Sleeps for a time in nanoseconds. */
    static void sleep(long timeNs) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(timeNs);
    }
}
