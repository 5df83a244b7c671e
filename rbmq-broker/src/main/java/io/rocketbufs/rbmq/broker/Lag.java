package io.rocketbufs.rbmq.broker;

import io.rocketbufs.metrics.SubscriptionState;

/**
 * The lag of subscriptions, and the time for which they have delayed publishers.
 *
 * @param pendingLength number of bytes that have not been sent yet
 * @param currentDelayMs milliseconds since the start of the oldest current delay of a publisher; 0 if no publisher is
 *     delayed
 * @param delayMs time for which publishers have been delayed, in milliseconds, summed over the subscriptions
 * @param worstPendingLength highest number of bytes that waited for any one publisher during its current or most recent
 *     delay
 */
record Lag(long pendingLength, long currentDelayMs, long delayMs, long worstPendingLength) {
    static final Lag NONE = new Lag(0, 0, 0, 0);

    static Lag of(SubscriptionState subscription) {
        return new Lag(
                subscription.pendingLength(),
                subscription.currentDelayMs(),
                subscription.delayMs(),
                subscription.worstPendingLength());
    }

    /** Returns the combined lag. */
    Lag plus(Lag other) {
        return new Lag(
                pendingLength + other.pendingLength,
                Math.max(currentDelayMs, other.currentDelayMs),
                delayMs + other.delayMs,
                Math.max(worstPendingLength, other.worstPendingLength));
    }
}
