package io.rocketbufs.rbmq.client;

/**
 * A callback for gaps, errors, the end of publishers, and lost connections. Called on the connection's worker; must not
 * block.
 */
public interface SubscriberCallback extends ReconnectCallback {
    /**
     * Called when messages are missing, once, even if several subscriptions missed them. After {@link #onReconnected},
     * a topic without a call has missed nothing. If replies to requests were lost, which happens only when the worker
     * is busy for longer than {@code rbmq.broker.join-timeout}, the topic is the client's inbox, whose name begins with
     * {@code $R/}.
     */
    default void onGap(Gap gap) {}

    /**
     * Called when a handler threw, a publisher's frames were malformed, or subscribing to a publisher's buffer failed.
     * In the latter two cases no more messages of that publisher arrive.
     *
     * <p>Also called, with a filter instead of a topic and with publisher 0, when the broker leaves a topic out of a
     * subscription because the filter already matches as many topics as the broker allows. No message of the omitted
     * topic arrives through this subscription.
     *
     * <p>Called in the same way with a RejectedExecutionException when the executor of a subscription has rejected its
     * messages, which ends the subscription.
     *
     * <p>Also called, once and with publisher 0, when the broker refuses the buffer for the replies to a requester,
     * whose inbox is then the topic.
     *
     * @param topic the topic, or the filter of the subscription that lacks a topic or has ended
     * @param publisher the publisher's number; 0 with a filter, or when a buffer for replies was refused
     */
    default void onError(String topic, int publisher, Throwable error) {}

    /**
     * Called when a publisher has left the topic and all of its messages have been handled. If the broker closes the
     * connection gracefully, this is called when it is known that no other connection continues with the publisher: it
     * has left, another broker was reached, or the connection is not replaced.
     *
     * @param failure null when the publisher closed gracefully
     */
    default void onPublisherEnd(String topic, int publisher, String failure) {}

    /**
     * Called when this subscriber has delayed a publisher for 200 ms: messages of the topic wait in the broker for this
     * subscriber, and leave no space for further ones. Under {@link io.rocketbufs.options.SlowPolicy#BLOCK}, this
     * delays all subscribers of the topic. While a handler occupies the worker, this call waits until the handler has
     * returned; a handler on an executor does not delay it. Until the publisher, the subscription or the connection
     * ends, the calls of this method and of {@link #onSlowEnd} for a publisher's topic alternate. After a reconnect,
     * this method is called first, even if a delay had begun before.
     *
     * @param waitingLength number of bytes that wait in the broker
     */
    default void onSlow(String topic, int publisher, long waitingLength) {}

    /**
     * Called when the publisher has not been delayed for 1 s. Not called when the publisher, the subscription or the
     * connection has ended first.
     *
     * @param delayMs how long the publisher was delayed, in milliseconds
     */
    default void onSlowEnd(String topic, int publisher, long delayMs) {}
}
