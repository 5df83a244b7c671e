package io.rocketbufs.rbmq.client;

/**
 * A callback for the conditions of a publisher's topics. Called on the publisher's worker, one call at a time; must not
 * block. An exception that it throws closes the publisher's connection.
 */
public interface PublisherCallback {
    /**
     * Called when the broker reports whether a topic has subscribers: first before {@link TopicPublisher#announced()}
     * completes, then for each change between none and some. {@link TopicPublisher#hasSubscribers()} already returns
     * the new value. Never called if the broker does not support this report.
     */
    default void onInterest(String topic, boolean hasSubscribers) {}
}
