package io.rocketbufs.rbmq.broker;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.Segment;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.MessageLayout;
import java.security.SecureRandom;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entry point for publishers' buffers. It adds each buffer to its topic and, under an id assigned by the broker, to
 * the broker's output. It also removes buffers.
 *
 * <p><b>Thread-safety:</b> any thread; operations on a buffer run on its publisher's worker. <b>Source:</b> RocketBufs
 * 4.1.
 */
final class Ingest {
    private static final Logger LOG = LoggerFactory.getLogger(Ingest.class);

    private final ROut out;
    private final Topics topics;
    private final SlowSubscribers slow;
    private final Drains drains;
    private final Supplier<TopicRules> rules;
    /**
     * Options that make a publisher skip data that exceeds its credit, even if it does not use flow control. This is
     * necessary because a spliced buffer must not be overwritten. All subscriptions use the same identity, because this
     * broker is the only subscriber of each publisher's buffer, even if the publisher announces the buffer again after
     * losing its connection.
     */
    private final SubscribeOptions subscribing =
            SubscribeOptions.DEFAULTS.withFlowControl(true).withIdentity(new SecureRandom().nextLong());

    private final BufferTopics bufferTopics;
    private final Groups groups;

    /** @param rules supplies the current rules */
    Ingest(
            ROut out,
            BufferTopics bufferTopics,
            Topics topics,
            Groups groups,
            SlowSubscribers slow,
            Drains drains,
            Supplier<TopicRules> rules) {
        this.out = out;
        this.bufferTopics = bufferTopics;
        this.groups = groups;
        this.topics = topics;
        this.slow = slow;
        this.drains = drains;
        this.rules = rules;
    }

    /**
     * Returns the rule for the buffer of a topic that a publisher announces.
     *
     * @param keepsLast true if the publisher requests that the last message be kept
     */
    TopicRule ruleOf(String topic, boolean isInbox, boolean keepsLast) {
        TopicRule rule = rules.get().of(topic, isInbox);
        return keepsLast ? rule.keepingLast() : rule;
    }

    /**
     * Returns the topic of a publisher's buffer or of a group member's buffer, given the broker's id; null if there is
     * no such buffer.
     */
    String topicOf(int bufferId) {
        String topic = bufferTopics.topicOf(bufferId);
        return topic == null ? groups.topicOf(bufferId) : topic;
    }

    /** Returns the options of the broker's subscription to a publisher's buffer. */
    SubscribeOptions subscribing(TopicBuffer buffer) {
        return subscribing.withKeep(buffer.options().keep());
    }

    /** Returns an unused buffer id; an id is reused only after all other ids have been used. */
    int nextBufferId() {
        return bufferTopics.nextId();
    }

    /**
     * Adds a buffer after its publisher has accepted the broker's subscription. From then on, its data is sent to the
     * topic's subscribers.
     *
     * @throws IllegalArgumentException when a buffer of this capacity cannot keep as many bytes as configured
     */
    void join(RIn in, TopicBuffer buffer) {
        bufferTopics.add(buffer); // first, because a subscriber may be notified of the buffer immediately
        splice(in, buffer);
        slow.add(buffer);
        topics.join(buffer);
        buffer.join();
    }

    private void splice(RIn in, TopicBuffer buffer) {
        try {
            out.splice(in, buffer.publishersId(), buffer.bufferId(), buffer.options());
        } catch (RuntimeException e) {
            bufferTopics.remove(buffer.bufferId());
            throw e;
        }
    }

    /**
     * Returns the check that decides which buffers a subscriber may subscribe to: those of the topics that it may read.
     * Any other buffer, such as that of another client's inbox, appears not to exist. The check is necessary because
     * clients subscribe by buffer id, and ids are easy to guess.
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

    /**
     * Removes a buffer that will receive no more data; data already received is still sent to its current subscribers.
     * The last message remains available if the topic's rule keeps it. Called before the buffer ends, so that each
     * subscription receives either the buffer or the copy.
     */
    void leave(RIn in, TopicBuffer buffer, String failure) {
        KeptMessage copy = buffer.hasLast() ? copy(in, buffer) : null;
        topics.leave(buffer, failure, copy);
        groups.onEnd(buffer);
        slow.remove(buffer);
        TopicRule rule = buffer.rule();
        int id = buffer.bufferId(); // read here, so that the task holds no reference to the publisher's connection
        String what = buffer.publisher() + " has left " + (buffer.isInbox() ? "inbox" : "topic") + " \""
                + InboxName.shown(buffer.topic()) + "\", which";
        // If there is a copy, it uses the same id, which must therefore stay in use.
        drains.begin(id, rule, what, copy == null ? () -> bufferTopics.remove(id) : () -> {});
    }

    /** Returns a copy of the last message of a buffer; null if there is no message or it cannot be kept. */
    private KeptMessage copy(RIn in, TopicBuffer buffer) {
        Segment transfer = in.lastTransfer(buffer.publishersId());
        long index = transfer == null ? -1 : MessageLayout.lastFrame(transfer, transfer.length());
        if (index < 0 || !MessageLayout.isFrame(transfer, index)) {
            LOG.warn(
                    "Buffer {} of {} ended without a valid last message, so none is kept of topic \"{}\"",
                    buffer.bufferId(),
                    buffer.publisher(),
                    buffer.topic());
            return null;
        }
        if (MessageLayout.clears(transfer, index)) {
            return null;
        }
        int id = buffer.bufferId();
        String topic = buffer.topic();
        TopicRule rule = buffer.rule();
        long memoryLength = out.preserve(id, transfer, index);
        if (memoryLength < 0) {
            LOG.warn("Out of memory: cannot keep the last message of topic \"{}\"", topic);
            return null;
        }
        return new KeptMessage(
                topic,
                id,
                buffer.publisher().number(),
                transfer.length() - index,
                memoryLength,
                () -> forget(id, topic, rule));
    }

    private void forget(int bufferId, String topic, TopicRule rule) {
        out.forget(bufferId);
        String what = "Topic \"" + topic + "\", whose last message is no longer kept,";
        drains.begin(bufferId, rule, what, () -> bufferTopics.remove(bufferId));
    }
}
