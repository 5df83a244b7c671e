package io.rocketbufs.rbmq.client;

import io.rocketbufs.rocketnet.TransportException;

/**
 * A callback for the conditions of a publisher's topics and for lost connections. Called on the publisher's worker, one
 * call at a time; must not block. An exception that it throws closes the publisher's connection.
 */
public interface PublisherCallback extends ReconnectCallback {
    /**
     * Called with true when a topic begins to refuse messages for lack of space, or a thread begins to wait for space,
     * and with false when there is space again. The calls for a topic alternate. A call with false follows each
     * refusal, so a program that received {@link PublishResult#NO_SPACE} can wait for it before it tries again. The
     * call also follows if the topic ends in the meantime; the next attempt to publish then returns the reason.
     */
    default void onBackPressure(String topic, boolean on) {}

    /**
     * Called when the broker reports whether a topic has subscribers: first before {@link TopicPublisher#announced()}
     * completes, then for each change between none and some. {@link TopicPublisher#hasSubscribers()} already returns
     * the new value. Called again when a lost connection has been replaced. Never called if the broker does not support
     * this report.
     */
    default void onInterest(String topic, boolean hasSubscribers) {}

    /**
     * Called when the number of subscribers that delay this publisher on a topic has changed. Such a subscriber does
     * not read fast enough, so the broker accepts no further messages, and {@link #onBackPressure} follows when the
     * publisher's own buffer is full. 0 means that the delay has ended: the subscribers have caught up, are
     * disconnected, or skip messages, or the topic has ended, or the connection to the broker is lost. A call with 0
     * follows each call with another number, unless the workers have stopped. Never called if the broker does not
     * support this report.
     */
    default void onSlowSubscribers(String topic, int count) {}

    /**
     * Called when the broker refuses a topic that it had accepted before, for example because its configuration has
     * changed. Publishing to the topic returns {@link PublishResult#REFUSED} from then on. The other topics continue. A
     * topic that the broker has never accepted is reported by {@link TopicPublisher#announced()} instead.
     *
     * @param refusal the broker's reason, with code REFUSED
     */
    default void onTopicRefused(String topic, TransportException refusal) {}
}
