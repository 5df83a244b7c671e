package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.broker.TopicState.PublisherState;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
    /** The groups that read this buffer; under the lock of Topics. */
    private final Map<GroupKey, GroupBuffer> groups = new HashMap<>(0);
    /** The same groups, for the publisher's worker. */
    private volatile List<GroupBuffer> groupBuffers = List.of();

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

    /** Lets the groups hand out what has arrived. Called by the publisher's worker. */
    void wakeGroups() {
        for (GroupBuffer each : groupBuffers) {
            each.wake();
        }
    }

    // Under the lock of Topics.

    /** Returns the group that reads this buffer; null if there is none with this key. */
    GroupBuffer group(GroupKey key) {
        return groups.get(key);
    }

    /** Returns the groups that read this buffer. */
    List<GroupBuffer> groups() {
        return groupBuffers;
    }

    void addGroup(GroupKey key, GroupBuffer group) {
        groups.put(key, group);
        groupBuffers = List.copyOf(groups.values());
        publisher.onGrouped();
    }

    void removeGroup(GroupKey key) {
        groups.remove(key);
        groupBuffers = List.copyOf(groups.values());
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
