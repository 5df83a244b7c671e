package io.rocketbufs.rbmq.broker;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.rbmq.broker.TopicState.PublisherState;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * One publisher's share of a topic: the publisher's buffer in the broker, which is spliced into the broker's output
 * under an id assigned by the broker.
 *
 * <p><b>Thread-safety:</b> the publisher's worker writes the counters; any thread may read them.
 */
class TopicBuffer {
    private static final int GONE = -1;

    private final ConnectedPublisher publisher;
    private final String topic;
    private final TopicRule rule;
    private final int publishersId;
    private final int bufferId;
    private final long capacity;
    private final BufferOptions options;
    /** The groups that read this buffer, by key; replaced while the lock of {@link Groups} is held. */
    private volatile Map<GroupKey, GroupBuffer> groups = Map.of();
    /** Used only on the publisher's worker. */
    private boolean joined;

    private volatile long receivedLength;
    private volatile long transferCount;
    /**
     * Number of subscribers that delay the publisher; GONE once the publisher has left. Guarded by this object's lock.
     */
    private int slowCount;

    /**
     * Creates a buffer that does not belong to a topic yet.
     *
     * @param publishersId the publisher's id for its own buffer
     * @param bufferId the broker's id for the buffer
     * @param publishersCapacity capacity of the publisher's buffer, which the rule must allow
     * @throws IllegalArgumentException when the capacity is not positive
     */
    TopicBuffer(
            ConnectedPublisher publisher,
            String topic,
            TopicRule rule,
            int publishersId,
            int bufferId,
            long publishersCapacity) {
        this.publisher = publisher;
        this.topic = topic;
        this.rule = rule;
        this.publishersId = publishersId;
        this.bufferId = bufferId;
        this.capacity = rule.capacityFor(publishersCapacity);
        this.options = rule.options(publishersCapacity);
    }

    /** Returns the buffer for an announced topic. */
    static TopicBuffer of(
            ConnectedPublisher publisher,
            String topic,
            TopicRule rule,
            int publishersId,
            int bufferId,
            long publishersCapacity) {
        return rule.keepsLast()
                ? new LastingBuffer(publisher, topic, rule, publishersId, bufferId, publishersCapacity)
                : new TopicBuffer(publisher, topic, rule, publishersId, bufferId, publishersCapacity);
    }

    String topic() {
        return topic;
    }

    /** Returns true if the topic is a client's inbox. */
    boolean isInbox() {
        return rule.isInbox();
    }

    /** Returns the rule that applied when the publisher announced the topic. */
    TopicRule rule() {
        return rule;
    }

    /** Returns the capacity of the broker's buffer in bytes. */
    long capacity() {
        return capacity;
    }

    /** Returns the options of the broker's buffer. */
    BufferOptions options() {
        return options;
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

    /** Returns true if the buffer has been added to its topic. */
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

    /**
     * Returns true if the last message of the topic is kept and is in this buffer, so that no message of another
     * publisher has arrived since.
     */
    boolean hasLast() {
        return false;
    }

    /** Makes the groups hand out the messages that have arrived. Called by the publisher's worker. */
    void wakeGroups() {
        for (GroupBuffer each : groups.values()) {
            each.wake();
        }
    }

    /** Returns the group with this key that reads this buffer; null if there is none. */
    GroupBuffer group(GroupKey key) {
        return groups.get(key);
    }

    /** Returns the groups that read this buffer. */
    Collection<GroupBuffer> groups() {
        return groups.values();
    }

    // Methods called while the lock of Groups is held.

    void addGroup(GroupBuffer group) {
        Map<GroupKey, GroupBuffer> more = new HashMap<>(groups);
        more.put(group.key(), group);
        groups = more;
        publisher.onGrouped();
    }

    void removeGroup(GroupBuffer group) {
        Map<GroupKey, GroupBuffer> fewer = new HashMap<>(groups);
        fewer.remove(group.key(), group);
        groups = fewer;
    }

    // Methods called while the lock of Topics is held; the begin and end methods also run on the publisher's worker.

    /** Called when the buffer joins a topic, before its first data arrives. */
    void joined(Topic to) {
        beginInterest(to.subscriberCount());
    }

    /** Sends the publisher the topic's number of subscribers. */
    void beginInterest(int subscriberCount) {
        publisher.beginInterest(publishersId, subscriberCount);
    }

    /** Notifies the publisher of a change in the topic's number of subscribers. */
    void changeInterest(int subscriberCount) {
        publisher.changeInterest(publishersId, subscriberCount);
    }

    /** Stops the notices about the number of subscribers. */
    void endInterest() {
        publisher.endInterest(publishersId);
    }

    // Methods that any thread may call.

    /** Notifies the publisher that another subscriber delays it. */
    synchronized void beginSlow(long pendingLength, long delayMs) {
        if (slowCount >= 0) {
            slowCount++;
            publisher.notifySlow(publishersId, slowCount, pendingLength, delayMs);
        }
    }

    /** Notifies the publisher that a subscriber no longer delays it. */
    synchronized void endSlow(long pendingLength, long delayMs) {
        if (slowCount >= 0) {
            slowCount--;
            publisher.notifySlow(publishersId, slowCount, pendingLength, delayMs);
        }
    }

    /** Stops the notices about slow subscribers, because the publisher has removed the buffer. */
    synchronized void leave() {
        slowCount = GONE;
        publisher.endSlow(publishersId);
    }

    BuffersLayout.Entry entry() {
        return new BuffersLayout.Entry(bufferId, publisher.number(), capacity);
    }

    /** @param delayMs time that the publisher has spent waiting for subscribers, in milliseconds */
    PublisherState state(long delayMs) {
        return new PublisherState(
                publisher.number(),
                publisher.name(),
                publisher.peer(),
                bufferId,
                capacity,
                receivedLength,
                transferCount,
                delayMs);
    }
}
