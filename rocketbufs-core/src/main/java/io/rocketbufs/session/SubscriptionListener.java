package io.rocketbufs.session;

/** Hears who reads the buffers of the output that a connection is sent from; called on the connection's worker. */
public interface SubscriptionListener {
    /** Called when the peer has subscribed to a buffer. */
    void subscribed(int bufferId);

    /**
     * Called when a subscription has ended.
     *
     * @param undelivered bytes delivered into the buffer that were not sent
     * @param reason null when the subscriber unsubscribed, or the buffer ended and all was sent
     */
    void subscriptionEnded(int bufferId, long undelivered, String reason);
}
