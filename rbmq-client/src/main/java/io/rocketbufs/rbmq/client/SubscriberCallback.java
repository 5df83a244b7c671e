package io.rocketbufs.rbmq.client;

/** Is told what a subscriber meets besides messages. Called on the connection's worker; must not block. */
public interface SubscriberCallback {
    /**
     * Messages of one publisher were left out, because this subscriber was too slow or came too late.
     *
     * @param lostLength bytes left out, frames included
     */
    default void onGap(String topic, int publisher, long lostLength) {}

    /**
     * A handler threw, a publisher's frames were malformed, or a publisher's buffer could not be subscribed to. In the
     * latter cases nothing more comes of that publisher.
     */
    default void onError(String topic, int publisher, Throwable error) {}

    /**
     * A publisher has left the topic, and all of its messages have been handled.
     *
     * @param failure null when it closed in good order
     */
    default void onPublisherEnd(String topic, int publisher, String failure) {}
}
