package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;

/** The library's internal listener for events of a publisher's topic. Called on the worker. */
interface TopicListener {
    /** Ignores all events. */
    TopicListener NONE = hasSubscribers -> {};

    /** Called when the broker reports whether the topic has subscribers. */
    void onInterest(boolean hasSubscribers);

    /**
     * Called when the broker has refused the topic, including when the topic is announced again on a new connection.
     */
    default void onRefused(TransportException refusal) {}

    /** Called when a lost connection ends the topic; not called if its messages are kept for the next connection. */
    default void onLost() {}
}
