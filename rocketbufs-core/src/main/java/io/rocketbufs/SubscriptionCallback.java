package io.rocketbufs;

/**
 * The callback invoked when peers subscribe to an ROut's buffers and when their subscriptions end. Runs on the worker
 * of the peer's connection; must not block.
 */
public interface SubscriptionCallback {
    /** Called when a connection has subscribed to a buffer. */
    default void onSubscribed(int bufferId, Connection connection) {}

    /**
     * Called when a connection's subscription to a buffer has ended.
     *
     * @param undelivered number of bytes delivered into the buffer but not sent to this connection
     * @param reason null when the peer unsubscribed, or when the buffer ended and everything was sent; otherwise, why
     *     the subscription ended
     */
    default void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {}
}
