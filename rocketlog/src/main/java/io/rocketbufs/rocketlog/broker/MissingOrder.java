package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.TimeUnit;

/**
 * The order that has not arrived although later orders have, or although space was reserved for it. It is late once it
 * has been missing for at least the timeout, regardless of how often it is checked.
 *
 * <p><i>Thread-safety:</i> one thread at a time; any thread calls {@link #isSuspected}.
 */
final class MissingOrder {
    /** Nothing is missing. */
    static final long NONE = -1;

    private final long timeoutNs;
    private volatile long order = NONE;
    private long sinceNs;

    MissingOrder(long timeoutMs) {
        this.timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    /**
     * Returns true if an order is late.
     *
     * @param missing the order that is missing now, counted from 0 without end, or {@link #NONE}
     */
    boolean isLate(long missing, long nowNs) {
        if (missing != order) {
            order = missing;
            sinceNs = nowNs;
        }
        return missing != NONE && nowNs - sinceNs >= timeoutNs;
    }

    /** Returns true if an order was missing at the last call of {@link #isLate}. */
    boolean isSuspected() {
        return order != NONE;
    }
}
