package io.rocketbufs.rbmq.client;

/**
 * A callback for gaps, errors, the end of publishers, and lost connections. Called on the connection's worker; must not
 * block.
 */
public interface SubscriberCallback extends ReconnectCallback {
    /**
     * Called when messages are missing: once, even if several subscriptions missed them. If this method is not called
     * for a topic after {@link #onReconnected}, no messages of the topic were missed. Replies to requests are lost only
     * if the worker is busy for longer than {@code rbmq.broker.join-timeout}. In that case, the topic is the client's
     * inbox, whose name begins with {@code $R/}.
     */
    default void onGap(Gap gap) {}

    /**
     * Called when a handler threw, a publisher's frames were malformed, or subscribing to a publisher's buffer failed.
     * In the latter two cases, no further messages of that publisher arrive.
     *
     * <p>Also called, with a filter instead of a topic and with publisher 0, when the filter already matches as many
     * topics as the broker allows, and the broker therefore omits a topic. This subscription receives no messages of
     * the omitted topic.
     *
     * <p>Called in the same way with a RejectedExecutionException when a subscription's executor has rejected the
     * subscription's messages, which ends the subscription.
     *
     * <p>Also called once, with publisher 0, when the broker refuses the buffer for the replies to a requester. The
     * topic is then the requester's inbox.
     *
     * @param topic the topic, or the filter of the subscription from which a topic was omitted or which has ended
     * @param publisher the publisher's number; 0 with a filter, or when a buffer for replies was refused
     */
    default void onError(String topic, int publisher, Throwable error) {}

    /**
     * Called when a publisher has left the topic and all of its messages have been handled. If the broker closes the
     * connection gracefully, the publisher may continue on a new connection of this subscriber. This method is then
     * called once this is impossible: the publisher has left, the subscriber has reached another broker, or the
     * connection is not replaced.
     *
     * @param failure the reason why the publisher ended; null if it closed gracefully
     */
    default void onPublisherEnd(String topic, int publisher, String failure) {}

    /**
     * Called when this subscriber has delayed a publisher for 200 ms: messages of the topic wait in the broker for this
     * subscriber and leave no space for further messages. Under {@link io.rocketbufs.options.SlowPolicy#BLOCK}, this
     * delays all subscribers of the topic.
     *
     * <p>If a handler occupies the worker, this method is called after the handler has returned. A handler on an
     * executor does not postpone the call. For each publisher of a topic, calls of this method and of
     * {@link #onSlowEnd} alternate until the publisher, the subscription or the connection ends. After a reconnect,
     * this method is called first, even if it was called for an earlier delay.
     *
     * @param waitingLength number of bytes that wait in the broker
     */
    default void onSlow(String topic, int publisher, long waitingLength) {}

    /**
     * Called when the publisher has not been delayed for 1 s. Not called if the publisher, the subscription or the
     * connection ends first.
     *
     * @param delayMs how long the publisher was delayed, in milliseconds
     */
    default void onSlowEnd(String topic, int publisher, long delayMs) {}
}
