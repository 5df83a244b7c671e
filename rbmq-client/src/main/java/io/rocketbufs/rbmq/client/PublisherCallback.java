package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;

/**
 * A callback for events of a publisher's topics and for lost connections. Called on the publisher's worker, one call at
 * a time; must not block. If it throws an exception, the publisher's connection is closed.
 */
public interface PublisherCallback extends ReconnectCallback {
    /**
     * Called with true when a topic starts to refuse messages for lack of space, or when a thread starts to wait for
     * space. Called with false when there is space again. For each topic, calls with true and false alternate. Each
     * refusal is followed by a call with false, so a program that received {@link PublishResult#NO_SPACE} can wait for
     * that call before it tries again. If the topic ends in the meantime, the call with false still follows, and the
     * next attempt to publish returns the reason.
     */
    default void onBackPressure(String topic, boolean on) {}

    /**
     * Called when the broker reports whether a topic has subscribers. The first call comes before
     * {@link TopicPublisher#announced()} completes. Further calls follow when the topic gains its first subscriber or
     * loses its last one, and when a lost connection has been replaced. {@link TopicPublisher#hasSubscribers()} already
     * returns the new value. Never called if the broker does not support this report.
     */
    default void onInterest(String topic, boolean hasSubscribers) {}

    /**
     * Called when the number of subscribers that delay this publisher on a topic has changed. Such a subscriber does
     * not read fast enough, so the broker accepts no further messages. When the publisher's own buffer is full,
     * {@link #onBackPressure} follows. A count of 0 means that the delay has ended. The subscribers have caught up,
     * have disconnected or skip messages, the topic has ended, or the connection to the broker is lost. Every call with
     * another count is eventually followed by a call with 0, unless the workers have stopped. Never called if the
     * broker does not support this report.
     */
    default void onSlowSubscribers(String topic, int count) {}

    /**
     * Called when the broker refuses a topic that it had accepted before, for example because the broker's
     * configuration has changed. Publishing to the topic then returns {@link PublishResult#REFUSED}. Other topics are
     * not affected. If the broker has never accepted the topic, {@link TopicPublisher#announced()} reports the refusal
     * instead.
     *
     * @param refusal the broker's reason, with code REFUSED
     */
    default void onTopicRefused(String topic, TransportException refusal) {}

    /**
     * Called after {@link #onDisconnected} for each topic whose messages are dropped because the broker had not
     * confirmed them when the connection was lost; see {@link Unconfirmed#DROP}. {@link TopicPublisher#droppedCount()}
     * already includes these messages.
     *
     * @param count number of dropped messages; it may be too high, and some of these messages may have arrived
     */
    default void onDropped(String topic, long count) {}
}
