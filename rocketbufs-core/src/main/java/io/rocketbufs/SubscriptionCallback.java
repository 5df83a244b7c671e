package io.rocketbufs;

import io.rocketbufs.metrics.SubscriptionState;

/**
 * The callback invoked when peers subscribe to an ROut's buffers and when their subscriptions end. Runs on the worker
 * of the peer's connection; must not block.
 */
public interface SubscriptionCallback {
    /** Called when a connection has subscribed to a buffer. */
    default void onSubscribed(int bufferId, Connection connection) {}

    /**
     * Called with the final counters of a connection's subscription, immediately before {@link #onSubscriptionEnd}.
     * {@link ROut#subscriptions()} no longer contains the subscription, so a program that adds these counters to those
     * of the open subscriptions never counts a byte twice.
     */
    default void onFinalState(SubscriptionState last, Connection connection) {}

    /**
     * Called when a connection's subscription to a buffer has ended.
     *
     * @param undelivered number of bytes delivered into the buffer but not sent to this connection
     * @param reason null if the peer unsubscribed, or if the buffer ended and everything was sent; otherwise, the
     *     reason for the end of the subscription
     */
    default void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {}
}
