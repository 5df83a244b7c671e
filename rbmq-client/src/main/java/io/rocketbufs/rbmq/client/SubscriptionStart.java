package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.Start;

/**
 * The position at which a subscription starts in the messages of those publishers that are already connected when the
 * broker accepts the subscription.
 *
 * <p>The broker keeps the newest {@code rbmq.broker.keep} bytes of each publisher's messages to a topic, and discards
 * them when the publisher leaves the topic. With {@code rbmq.broker.keep = 0}, the default, the broker keeps nothing,
 * so every subscription starts like {@link #LIVE}. Subscriptions always receive all messages of publishers that join
 * later, from the first one on.
 *
 * <p>For topics with {@code keep = last}, or whose publishers {@linkplain TopicOptions#withKeepLast request} it, the
 * broker also keeps the last message after its publisher has left. {@link #LAST} and {@link #OLDEST} then start with
 * that message.
 */
public enum SubscriptionStart {
    /** Starts with the first message that arrives after the broker has accepted the subscription. */
    LIVE(Start.LIVE),

    /**
     * Starts with the last message of each publisher, if the broker has kept it. All messages published after the
     * broker has accepted the subscription follow. If several messages arrived at the broker together, the broker keeps
     * the last of them only if it keeps all of them.
     */
    LAST(Start.LAST),

    /**
     * Starts with the oldest message of each publisher that the broker has kept; all later messages follow without a
     * gap.
     */
    OLDEST(Start.OLDEST);

    private final Start place;

    SubscriptionStart(Start place) {
        this.place = place;
    }

    /** Returns true if the subscription receives messages that are older than itself. */
    boolean isOlder() {
        return this != LIVE;
    }

    /** Returns the position at which delivery starts in buffers that existed before the subscription. */
    Start place() {
        return place;
    }
}
