package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.Start;

/**
 * The place where a subscription begins in the messages of the publishers that are connected when the broker accepts
 * it.
 *
 * <p>The broker keeps the newest {@code rbmq.broker.keep} bytes of each publisher's messages to a topic, and forgets
 * them when the publisher leaves the topic. With {@code rbmq.broker.keep = 0}, which is the default, it keeps nothing,
 * so every subscription begins like {@link #LIVE}. Publishers that join later are always received from their first
 * message on. For topics with {@code keep = last}, or whose publishers {@linkplain TopicOptions#withKeepLast request}
 * it, the last message is also kept when its publisher has left; {@link #LAST} and {@link #OLDEST} then begin with it.
 */
public enum SubscriptionStart {
    /** Begins with the first message that arrives after the broker has accepted the subscription. */
    LIVE(Start.LIVE),

    /**
     * Begins with the last message of each publisher, if the broker keeps it. All messages that are published after the
     * broker has accepted the subscription follow. If messages arrived at the broker together, the broker keeps the
     * last one only if it keeps all of them.
     */
    LAST(Start.LAST),

    /** Begins with the oldest message of each publisher that the broker keeps; all later ones follow without a gap. */
    OLDEST(Start.OLDEST);

    private final Start place;

    SubscriptionStart(Start place) {
        this.place = place;
    }

    /** Returns true when the subscription receives messages that are older than itself. */
    boolean isOlder() {
        return this != LIVE;
    }

    /** Returns the place at which a buffer begins that existed before the subscription. */
    Start place() {
        return place;
    }
}
