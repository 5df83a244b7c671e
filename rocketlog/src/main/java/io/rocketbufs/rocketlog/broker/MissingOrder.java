package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.TimeUnit;

/**
 * The order that has not arrived, although later ones have, or its place has been reserved. It is late when it has been
 * missing for at least the timeout; how often it is looked for does not matter.
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
