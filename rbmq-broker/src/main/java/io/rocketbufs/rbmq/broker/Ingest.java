package io.rocketbufs.rbmq.broker;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.security.SecureRandom;

/**
 * The entry point for publishers' buffers. It adds them to their topics and, under the broker's own ids, to the
 * broker's output. It also removes them.
 *
 * <p><b>Thread-safety:</b> any thread; each buffer on its publisher's worker. <b>Source:</b> RocketBufs 4.1.
 */
final class Ingest {
    private final ROut out;
    private final Topics topics;
    private final Drains drains;
    private final TopicRules rules;
    private final BrokerSettings.Limits limits;
    /**
     * Options that make a publisher skip data that exceeds its credit, even if it does not use flow control. This is
     * necessary because a spliced buffer must not be overwritten. The identity is the same for all subscriptions: this
     * broker is the one subscriber of each publisher's buffer, also when the publisher announces it again after a lost
     * connection.
     */
    private final SubscribeOptions subscribing =
            SubscribeOptions.DEFAULTS.withFlowControl(true).withIdentity(new SecureRandom().nextLong());

    private final BufferTopics bufferTopics;
    private final Groups groups;

    Ingest(
            ROut out,
            BufferTopics bufferTopics,
            Topics topics,
            Groups groups,
            Drains drains,
            TopicRules rules,
            BrokerSettings.Limits limits) {
        this.out = out;
        this.bufferTopics = bufferTopics;
        this.groups = groups;
        this.topics = topics;
        this.drains = drains;
        this.rules = rules;
        this.limits = limits;
    }

    /** Returns the rule for the buffers of a topic that a publisher announces. */
    TopicRule ruleOf(String topic, boolean isInbox) {
        return rules.of(topic, isInbox);
    }

    /** Returns the options of the broker's subscription to a publisher's buffer. */
    SubscribeOptions subscribing(TopicRule rule) {
        return subscribing.withKeep(rule.options().keep());
    }

    /** Returns an unused buffer id; an id is reused only after all others have been used. */
    int nextBufferId() {
        return bufferTopics.nextId();
    }

    /**
     * Checks that a publisher may announce another topic, or another inbox.
     *
     * @param announcedCount number of its topics so far; or of its inboxes, which count on their own
     * @throws IllegalArgumentException when it has as many as allowed
     */
    void checkTopicCount(String topic, int announcedCount) {
        int limit = limits.topicsPerConnection();
        if (announcedCount >= limit) {
            throw new IllegalArgumentException(
                    "topic \"" + InboxName.shown(topic) + "\" exceeds rbmq.limits.topics-per-connection=" + limit
                            + "; close topics that are no longer needed, use several connections, or raise the limit");
        }
    }

    /**
     * Adds a buffer once its publisher has accepted the broker's subscription; its data is then sent to the topic's
     * subscribers.
     *
     * @throws IllegalArgumentException when a buffer of this capacity cannot keep as many bytes as configured
     */
    void join(RIn in, TopicBuffer buffer) {
        bufferTopics.add(buffer); // first, because the buffer may be listed to a subscriber immediately
        splice(in, buffer);
        topics.join(buffer);
    }

    private void splice(RIn in, TopicBuffer buffer) {
        try {
            out.splice(
                    in, buffer.publishersId(), buffer.bufferId(), buffer.rule().options());
        } catch (RuntimeException e) {
            bufferTopics.remove(buffer.bufferId());
            throw e;
        }
    }

    /**
     * Returns the permission of a subscriber: the buffers of the topics that it may read. Any other buffer, such as
     * that of another client's inbox, looks as if it did not exist. Clients subscribe to buffers by their ids, which
     * are easy to guess.
     */
    SubscribePermission permissionOf(SubscriberSession session) {
        return bufferId -> {
            if (groups.has(bufferId)) {
                return groups.admits(bufferId, session.connection());
            }
            String topic = bufferTopics.topicOf(bufferId);
            return topic != null && session.mayRead(bufferId, topic);
        };
    }

    /** Removes a buffer that receives no more data; data already received is still sent to its current subscribers. */
    void leave(TopicBuffer buffer, String failure) {
        topics.leave(buffer, failure);
        groups.onEnd(buffer);
        TopicRule rule = buffer.rule();
        int id = buffer.bufferId(); // the task must not hold on to the publisher's connection
        drains.begin(id, rule, () -> bufferTopics.remove(id));
    }
}
