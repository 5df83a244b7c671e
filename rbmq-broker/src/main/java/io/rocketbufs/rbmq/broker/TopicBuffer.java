package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.broker.TopicState.PublisherState;
import io.rocketbufs.rbmq.protocol.BuffersLayout;

/**
 * One publisher's share of a topic: its buffer in the broker, which is spliced into the broker's output under the
 * broker's own id.
 *
 * <p><b>Thread-safety:</b> the publisher's worker writes the counters; any thread reads them.
 */
final class TopicBuffer {
    private final ConnectedPublisher publisher;
    private final String topic;
    private final TopicRule rule;
    private final int publishersId;
    private final int bufferId;
    private final long capacity;
    /** Used only on the publisher's worker. */
    private boolean joined;

    private volatile long receivedLength;
    private volatile long transferCount;

    TopicBuffer(
            ConnectedPublisher publisher, String topic, TopicRule rule, int publishersId, int bufferId, long capacity) {
        this.publisher = publisher;
        this.topic = topic;
        this.rule = rule;
        this.publishersId = publishersId;
        this.bufferId = bufferId;
        this.capacity = capacity;
    }

    String topic() {
        return topic;
    }

    /** Returns true when the topic is a client's inbox. */
    boolean isInbox() {
        return rule.isInbox();
    }

    /** Returns the rule that applied when the publisher announced the topic. */
    TopicRule rule() {
        return rule;
    }

    /** Returns the publisher's id for the buffer. */
    int publishersId() {
        return publishersId;
    }

    /** Returns the broker's id for the buffer. */
    int bufferId() {
        return bufferId;
    }

    ConnectedPublisher publisher() {
        return publisher;
    }

    /** Returns true when the buffer has been added to its topic. */
    boolean isJoined() {
        return joined;
    }

    /** Records that the buffer has been added to its topic. */
    void join() {
        joined = true;
    }

    long receivedLength() {
        return receivedLength;
    }

    long transferCount() {
        return transferCount;
    }

    /** Counts a transfer; called only by the publisher's worker, so no increment is lost. */
    void received(long length) {
        receivedLength += length;
        transferCount++;
    }

    // Under the lock of Topics; beginning and end also on the publisher's worker.

    /** Sends the publisher the topic's number of subscribers. */
    void beginInterest(int subscriberCount) {
        publisher.beginInterest(publishersId, subscriberCount);
    }

    /** Notifies the publisher of a change of the topic's number of subscribers. */
    void changeInterest(int subscriberCount) {
        publisher.changeInterest(publishersId, subscriberCount);
    }

    /** Ends the notices of the number of subscribers. */
    void endInterest() {
        publisher.endInterest(publishersId);
    }

    BuffersLayout.Entry entry() {
        return new BuffersLayout.Entry(bufferId, publisher.number(), capacity);
    }

    PublisherState state() {
        return new PublisherState(
                publisher.number(),
                publisher.name(),
                publisher.peer(),
                bufferId,
                capacity,
                receivedLength,
                transferCount);
    }
}
