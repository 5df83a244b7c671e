package io.rocketbufs.rocketlog.client;

import java.util.concurrent.TimeUnit;

/**
 * The delays between the polls of a consumer that has read all records. Each delay is at most an eighth of the time
 * since a record was last found or announced, so polling delays the next record by at most an eighth of the idle
 * period. After a long idle period, the consumer can stop polling and let the broker notify it of the next record.
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
     * @param pollTimeMs length of the idle period after which the consumer may wait for the broker, in milliseconds
     * @param longestDelayMs upper limit of each delay, in milliseconds
     */
    Backoff(long pollTimeMs, long longestDelayMs, long nowNs) {
        this.pollTimeNs = TimeUnit.MILLISECONDS.toNanos(pollTimeMs);
        this.longestDelayNs = TimeUnit.MILLISECONDS.toNanos(longestDelayMs);
        this.foundNs = nowNs;
    }

    /** Restarts with short delays. Called when a record has been found or announced. */
    void reset(long nowNs) {
        foundNs = nowNs;
    }

    /**
     * Returns the delay before the next poll, in nanoseconds. Returns 0 while the delay is shorter than
     * {@link #SHORTEST_DELAY_NS}.
     */
    long delayNs(long nowNs) {
        long delay = Math.min((nowNs - foundNs) / FRACTION, longestDelayNs);
        return delay < SHORTEST_DELAY_NS ? 0 : delay;
    }

    /** Returns true if the idle period is long enough that the consumer may wait for the broker. */
    boolean isLong(long nowNs) {
        return nowNs - foundNs >= pollTimeNs;
    }

    /** Sleeps for the given time in nanoseconds. */
    static void sleep(long timeNs) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(timeNs);
    }
}
