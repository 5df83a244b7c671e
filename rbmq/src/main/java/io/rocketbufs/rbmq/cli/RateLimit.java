package io.rocketbufs.rbmq.cli;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A limit on the number of messages per second. Messages are evenly spaced. A publisher that is late makes up for at
 * most {@link #CATCH_UP_NS}, so the number of messages in a second exceeds the limit by at most 1 %.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class RateLimit {
    private static final long SECOND_NS = 1_000_000_000;
    private static final long CATCH_UP_NS = 10_000_000;
    /** Maximum time between two checks of whether the wait must end. */
    private static final long STEP_NS = 100_000_000;

    private final long intervalNs;
    private long nextNs = System.nanoTime();

    private RateLimit(long intervalNs) {
        this.intervalNs = intervalNs;
    }

    /** Creates a limit that applies immediately; null means no limit. */
    static RateLimit of(Integer messagesPerSecond) {
        return new RateLimit(messagesPerSecond == null ? 0 : SECOND_NS / messagesPerSecond);
    }

    /**
     * Waits until the next message may be published.
     *
     * @param isOver ends the wait by returning true
     * @return false if {@code isOver} ended the wait
     */
    boolean await(BooleanSupplier isOver) {
        if (intervalNs == 0) {
            return true;
        }
        long leftNs = nextNs - System.nanoTime();
        while (leftNs > 0) {
            if (isOver.getAsBoolean()) {
                return false;
            }
            LockSupport.parkNanos(this, Math.min(leftNs, STEP_NS));
            leftNs = nextNs - System.nanoTime();
        }
        nextNs = Math.max(nextNs, System.nanoTime() - CATCH_UP_NS) + intervalNs;
        return true;
    }
}
