package io.rocketbufs.rbmq.broker;

import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.options.SubscribePermission;
import io.rocketbufs.rbmq.protocol.InboxName;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The entry point for publishers' buffers. It adds them to their topics and, under the broker's own ids, to the
 * broker's output. It also removes them.
 *
 * <p><b>Thread-safety:</b> any thread; each buffer on its publisher's worker. <b>Source:</b> RocketBufs 4.1.
 */
final class Ingest {
    private final ROut out;
    private final Topics topics;
    private final SlowSubscribers slow;
    private final Drains drains;
    private final BrokerSettings settings;
    private final BufferOptions options;
    private final BufferOptions inboxOptions;
    /**
     * Options that make a publisher skip data that exceeds its credit, even if it does not use flow control. This is
     * necessary because a spliced buffer must not be overwritten. The identity is the same for all subscriptions: this
     * broker is the one subscriber of each publisher's buffer, also when the publisher announces it again after a lost
     * connection.
     */
    private final SubscribeOptions subscribing =
            SubscribeOptions.DEFAULTS.withFlowControl(true).withIdentity(new SecureRandom().nextLong());

    private final BufferTopics bufferTopics = new BufferTopics();
    private final AtomicInteger bufferIds = new AtomicInteger();

    Ingest(ROut out, Topics topics, SlowSubscribers slow, Drains drains, BrokerSettings settings) {
        this.out = out;
        this.topics = topics;
        this.slow = slow;
        this.drains = drains;
        this.settings = settings;
        BrokerSettings.Slow treatment = settings.slow();
        this.inboxOptions = BufferOptions.DEFAULTS
                .withSlowPolicy(treatment.policy())
                .withLagLimits(treatment.lagLimit(), treatment.lagTimeoutMs())
                .withStallTimeout(treatment.stallTimeoutMs());
        this.options = inboxOptions.withKeep(settings.keep());
    }

    /** Returns the options of the broker's subscription to a publisher's buffer. */
    SubscribeOptions subscribing(boolean isInbox) {
        return subscribing.withKeep(options(isInbox).keep());
    }

    /**
     * Returns the options of a topic's buffers. Nothing is kept of an inbox, which ends with its connection. They never
     * resume, so the identity in a client's request has no effect: clients choose it themselves, and one could take
     * over the subscription of another user.
     */
    private BufferOptions options(boolean isInbox) {
        return isInbox ? inboxOptions : options;
    }

    /** Returns an unused buffer id; an id is reused only after all others have been used. */
    int nextBufferId() {
        return bufferIds.incrementAndGet();
    }

    /**
     * Returns the capacity of the broker's buffer for a publisher's buffer, so that the longest message fits. A buffer
     * of replies is as small as the publisher's, because there is one for each pair of a responder and a requester.
     *
     * @throws IllegalArgumentException when the publisher's capacity is invalid or exceeds the configured limit
     */
    long capacityFor(boolean isInbox, long publishersCapacity) {
        if (publishersCapacity < 1) {
            throw new IllegalArgumentException("capacity=" + publishersCapacity + " is not positive");
        }
        if (publishersCapacity > settings.maxCapacity()) {
            throw new IllegalArgumentException(
                    "capacity=" + publishersCapacity + " exceeds rbmq.broker.max-capacity=" + settings.maxCapacity());
        }
        return isInbox ? publishersCapacity : Math.max(publishersCapacity, settings.capacity());
    }

    /**
     * Checks that a publisher may announce another topic, or another inbox.
     *
     * @param announcedCount number of its topics so far; or of its inboxes, which count on their own
     * @throws IllegalArgumentException when it has as many as allowed
     */
    void checkTopicCount(String topic, int announcedCount) {
        int limit = settings.limits().topicsPerConnection();
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
        bufferTopics.add(buffer); // first, because a subscriber may be listed the buffer at once
        splice(in, buffer);
        slow.add(buffer);
        topics.join(buffer);
    }

    private void splice(RIn in, TopicBuffer buffer) {
        try {
            out.splice(in, buffer.publishersId(), buffer.bufferId(), options(buffer.isInbox()));
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
            String topic = bufferTopics.topicOf(bufferId);
            return topic != null && session.mayRead(bufferId, topic);
        };
    }

    /** Removes a buffer that receives no more data; data already received is still sent to its current subscribers. */
    void leave(TopicBuffer buffer, String failure) {
        topics.leave(buffer, failure);
        slow.remove(buffer);
        drains.begin(buffer.bufferId(), () -> bufferTopics.remove(buffer.bufferId()));
    }
}
