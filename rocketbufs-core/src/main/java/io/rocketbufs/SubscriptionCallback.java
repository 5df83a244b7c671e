package io.rocketbufs;

/**
 * The callback invoked when peers subscribe to an ROut's buffers. Runs on the worker of the peer's connection; must not
 * block.
 */
public interface SubscriptionCallback {
    /** Called when a connection has subscribed to a buffer. */
    default void onSubscribed(int bufferId, Connection connection) {}

    /**
     * Called when the subscription of a connection has ended.
     *
     * @param undelivered bytes that were delivered into the buffer and not sent to this connection
     * @param reason null when the peer unsubscribed, and when the buffer ended and everything was sent
     */
    default void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {}
}
