package io.rocketbufs.delivery;

/** Is told who reads the buffers of one output; called on the worker of the connection concerned. */
public interface SubscriptionListener {
    /** A connection subscribed to a buffer. */
    void subscribed(int bufferId, Endpoint endpoint);

    /**
     * A subscription has ended.
     *
     * @param undelivered bytes delivered into the buffer that it was not sent
     * @param reason null when the subscriber unsubscribed, or the buffer ended and all was sent
     */
    void subscriptionEnded(int bufferId, Endpoint endpoint, long undelivered, String reason);
}
