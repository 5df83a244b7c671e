package io.rocketbufs;

/** Is told who reads an ROut's buffers. Called on the worker of the connection concerned; must not block. */
public interface SubscriptionCallback {
    /** A connection subscribed to a buffer. */
    default void onSubscribed(int bufferId, Connection connection) {}

    /**
     * A connection reads a buffer no more.
     *
     * @param undelivered bytes delivered into the buffer that it was not sent
     * @param reason null when it unsubscribed, or the buffer ended and everything was sent
     */
    default void onSubscriptionEnd(int bufferId, Connection connection, long undelivered, String reason) {}
}
