package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.InboxName;

/**
 * The subscriptions that a connection continues from an earlier one to the same broker.
 *
 * <p>The continuation ends once the broker has listed the buffers of all these subscriptions. Until then, a new buffer
 * of a matching topic continues where earlier connections stopped. If several of the subscriptions match, none of them
 * may read the buffer until the broker has listed it for the last of them. Otherwise, that subscription would miss
 * messages that arrive in between.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class Continuation {
    private final SubscriptionIndex all = new SubscriptionIndex();
    private final SubscriptionIndex unlisted = new SubscriptionIndex();

    void add(Subscription subscription) {
        all.add(subscription);
        unlisted.add(subscription);
    }

    /**
     * Called when all buffers of a subscription are known, or when it has ended; returns false if this was already
     * known.
     */
    boolean onAllKnown(Subscription subscription) {
        return unlisted.remove(subscription);
    }

    /** Returns true if all buffers of all subscriptions are known. */
    boolean isOver() {
        return unlisted.isEmpty();
    }

    /** Returns the subscriptions, including those whose buffers are already known. */
    SubscriptionIndex subscriptions() {
        return all;
    }

    /**
     * Returns true for a topic whose new buffers continue where earlier connections stopped. Ignores subscriptions that
     * have been closed in the meantime.
     */
    boolean includes(String topic) {
        return !isOver() && !InboxName.is(topic) && unlisted.of(topic).stream().anyMatch(each -> !each.isLeft());
    }

    /** Returns true if the broker will list a topic's buffers for subscriptions other than the given one. */
    boolean includesOthers(String topic, Subscription known) {
        return includes(topic) && unlisted.of(topic).stream().anyMatch(each -> each != known && !each.isLeft());
    }
}
