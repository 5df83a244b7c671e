package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;

/** The library's own receiver of the events of a publisher's topic. Called on the worker. */
interface TopicListener {
    /** Ignores all events. */
    TopicListener NONE = hasSubscribers -> {};

    /** Called when the broker reports whether the topic has subscribers. */
    void onInterest(boolean hasSubscribers);

    /** Called when the broker has refused the topic, even if it is announced again after a lost connection. */
    default void onRefused(TransportException refusal) {}

    /** Called when the topic ends with a lost connection; not if its messages are kept for the next one. */
    default void onLost() {}
}
