package io.rocketbufs.rbmq.broker;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.BuffersLayout;
import io.rocketbufs.rbmq.protocol.DeparturesLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicBuffersLayout;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One subscriber's subscription to a topic or to a filter, and the notices about it.
 *
 * <p><b>Thread-safety:</b> must be called while holding the lock of {@link Topics}, which keeps the notices in order.
 */
final class TopicReader {
    private static final Logger LOG = LoggerFactory.getLogger(TopicReader.class);

    private final ConnectedSubscriber subscriber;
    private final int number;
    private final TopicFilter filter;
    private final SlowPolicy policy;
    /** The group membership; null if this reader is not a member of a group. */
    private final GroupMember member;
    /** The topics that this reader has joined because they match its wildcards. */
    private final Set<Topic> matched;

    /** True once a warning about a topic that is left out has been logged. */
    private boolean warned;
    /**
     * True once the subscriber has been notified that topics are left out because its connection has too many topics.
     */
    private boolean knowsLimit;

    /**
     * Creates a reader that has not joined a topic yet.
     *
     * @param number the number that the subscriber assigned to this subscription
     * @param policy the slow policy that the subscriber requests; null leaves the choice to the broker
     */
    TopicReader(ConnectedSubscriber subscriber, int number, TopicFilter filter, SlowPolicy policy) {
        this(subscriber, number, filter, policy, null);
    }

    private TopicReader(
            ConnectedSubscriber subscriber, int number, TopicFilter filter, SlowPolicy policy, GroupMember member) {
        this.subscriber = subscriber;
        this.number = number;
        this.filter = filter;
        this.policy = policy;
        this.member = member;
        this.matched = filter.isWildcard() ? new HashSet<>() : Set.of();
    }

    /** Creates a reader that is a member of a group and has not joined a topic yet. */
    static TopicReader inGroup(ConnectedSubscriber subscriber, int number, TopicFilter filter, String group) {
        return new TopicReader(subscriber, number, filter, null, new GroupMember(group, subscriber));
    }

    /** Returns the key of the member's group. */
    GroupKey groupKey() {
        return new GroupKey(filter.toString(), member.group());
    }

    /** Returns true if this reader is a member of a group. */
    boolean isMember() {
        return member != null;
    }

    /**
     * Returns the broker's id of the buffer through which this reader receives the data of a publisher's buffer; -1 if
     * there is none.
     */
    int bufferId(TopicBuffer source) {
        return member == null ? source.bufferId() : member.bufferId(source.bufferId());
    }

    /** Returns the group membership; null if this reader is not a member of a group. */
    GroupMember member() {
        return member;
    }

    ConnectedSubscriber subscriber() {
        return subscriber;
    }

    /** Returns the number that the subscriber assigned to this subscription. */
    int number() {
        return number;
    }

    TopicFilter filter() {
        return filter;
    }

    SlowPolicy policy() {
        return policy;
    }

    /** Returns the number of topics that this reader has joined because they match its wildcards. */
    int matchCount() {
        return matched.size();
    }

    /** Records that this reader has joined a topic that matches its wildcards. */
    void addMatch(Topic topic) {
        if (matched.add(topic)) {
            subscriber.countMatches(1);
        }
    }

    /** Records that this reader has left a topic; returns false if it had not joined the topic. */
    boolean removeMatch(Topic topic) {
        boolean removed = matched.remove(topic);
        if (removed) {
            subscriber.countMatches(-1);
        }
        return removed;
    }

    /** Removes this reader from the topics that it has joined because they match its wildcards. */
    void leaveMatches() {
        matched.forEach(topic -> topic.remove(this));
        subscriber.countMatches(-matched.size());
        matched.clear();
    }

    /** Notifies the subscriber that a buffer has joined a topic. */
    void notifyAdded(String topic, BuffersLayout.Entry entry) {
        subscriber.send(added(topic, List.of(entry)));
    }

    /**
     * Notifies the subscriber of the buffers that a topic has when the subscription begins.
     *
     * @param entries the buffers; the list must not be modified later
     */
    void notifyOfAll(String topic, List<BuffersLayout.Entry> entries) {
        for (int i = 0; i < entries.size(); i += BuffersLayout.MAX_COUNT) {
            List<BuffersLayout.Entry> part = entries.subList(i, Math.min(entries.size(), i + BuffersLayout.MAX_COUNT));
            subscriber.sendPart(() -> added(topic, part), part.size());
        }
    }

    /** Notifies the subscriber, when the subscription begins, of a topic's last message whose publisher has left. */
    void notifyKept(KeptMessage message) {
        if (subscriber.wantsKept()) {
            subscriber.sendPart(() -> TopicBuffersLayout.writeKept(number, message.topic(), message.entry()), 1);
        }
    }

    private ByteBuffer added(String topic, List<BuffersLayout.Entry> entries) {
        return filter.isWildcard()
                ? TopicBuffersLayout.write(number, topic, entries)
                : BuffersLayout.write(number, entries);
    }

    /**
     * Notifies the subscriber that a buffer will receive no more data.
     *
     * @param failure the cause; null if the publisher closed the buffer gracefully
     */
    void notifyRemoved(TopicBuffer buffer, String failure) {
        int id = bufferId(buffer);
        if (isMember()) {
            member.forgetId(buffer.bufferId());
        }
        if (id < 0) {
            return; // the member never received a buffer
        }
        subscriber.send(NoticeLayout.write(
                RbmqType.BUFFER_REMOVED, number, id, buffer.publisher().number(), failure == null ? "" : failure));
    }

    /** Notifies the subscriber that all buffers that its topics had when it subscribed have been listed. */
    void notifyListed(Departures departures) {
        if (subscriber.wantsDepartures() && !filter.isInbox() && !isMember()) {
            subscriber.send(DeparturesLayout.write(number, departures.count(filter)));
        }
        subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_LISTED, number, ""));
    }

    /**
     * Notifies the subscriber of a topic that is left out because the filter already matches the maximum number of
     * topics. Logs a warning about the first such topic.
     *
     * @param limit the limit with its key
     */
    void notifyLeftOut(String topic, String limit) {
        String reason = "topic \"" + topic + "\" exceeds " + limit;
        if (!warned) {
            warned = true;
            warnOfLeftOut(reason);
        }
        subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, number, reason));
    }

    /** Notifies the subscriber that it does not receive a publisher's messages, and logs a warning. */
    void notifyNoShare(TopicBuffer buffer, Throwable cause) {
        String reason = "group \"" + member.group() + "\" has no buffer for the messages of publisher "
                + buffer.publisher().number() + " of topic \"" + buffer.topic() + "\": " + cause.getMessage();
        LOG.warn("{}: {}", subscriber, reason);
        subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_REFUSED, number, reason));
    }

    private void warnOfLeftOut(String reason) {
        LOG.warn(
                "{} does not receive every topic that matches filter \"{}\": {}; further topics are not logged",
                subscriber,
                filter,
                reason);
    }

    /**
     * Notifies the subscriber of the first topic that is left out because the connection has reached a limit: either on
     * the total number of topics that its subscriptions match, or on the buffers of its group memberships. Logs a
     * warning once per subscriber. Further topics are not reported, because a subscriber with many filters would
     * otherwise cause many messages for each topic.
     *
     * @param limit the limit with its key
     */
    void notifyConnectionLimit(String topic, String limit) {
        if (knowsLimit) {
            return;
        }
        knowsLimit = true;
        String reason = "topic \"" + topic + "\" exceeds " + limit;
        if (subscriber.beginsToMissTopics()) {
            warnOfLeftOut(reason);
        }
        subscriber.send(NoticeLayout.ofSubscription(
                RbmqType.TOPIC_REFUSED, number, reason + "; further topics that exceed it are not reported"));
    }
}
