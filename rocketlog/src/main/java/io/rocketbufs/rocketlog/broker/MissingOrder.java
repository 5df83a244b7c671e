package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.TimeUnit;

/**
 * The order that is due but missing: it has not arrived, even though a later order has arrived or space was reserved
 * for the missing order. The order is late once it has been missing for at least the timeout, regardless of how often
 * it is checked.
 *
 * <p><i>Thread-safety:</i> one thread at a time; {@link #isSuspected} can be called by any thread.
 */
final class MissingOrder {
    /** No order is missing. */
    static final long NONE = -1;

    private final long timeoutNs;
    private volatile long order = NONE;
    private long sinceNs;

    MissingOrder(long timeoutMs) {
        this.timeoutNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    /**
     * Returns true if an order has been missing for at least the timeout.
     *
     * @param missing the currently missing order, counted from 0 without wrapping, or {@link #NONE}
     */
    boolean isLate(long missing, long nowNs) {
        if (missing != order) {
            order = missing;
            sinceNs = nowNs;
        }
        return missing != NONE && nowNs - sinceNs >= timeoutNs;
    }

    /** Returns true if an order was missing when {@link #isLate} was last called. */
    boolean isSuspected() {
        return order != NONE;
    }
}
