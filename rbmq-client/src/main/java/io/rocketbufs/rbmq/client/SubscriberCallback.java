package io.rocketbufs.rbmq.client;

/** A callback for gaps, errors and the end of publishers. Called on the connection's worker; must not block. */
public interface SubscriberCallback {
    /**
     * Called when messages of one publisher were skipped because this subscriber was too slow or joined too late.
     *
     * @param lostLength bytes skipped, including headers
     */
    default void onGap(String topic, int publisher, long lostLength) {}

    /**
     * Called when a handler threw, a publisher's frames were malformed, or subscribing to a publisher's buffer failed.
     * In the latter two cases no more messages of that publisher arrive.
     */
    default void onError(String topic, int publisher, Throwable error) {}

    /**
     * Called when a publisher has left the topic and all of its messages have been handled.
     *
     * @param failure null when it closed gracefully
     */
    default void onPublisherEnd(String topic, int publisher, String failure) {}
}
