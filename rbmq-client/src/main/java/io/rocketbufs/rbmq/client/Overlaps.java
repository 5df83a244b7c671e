package io.rocketbufs.rbmq.client;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rules for subscriptions of one subscriber that can match the same topic and thus share its buffers. All of them
 * must have the same slow policy, and only the first one can start with older messages. A subscription to one topic is
 * compared only with subscriptions to the same topic and to filters with wildcards, so that a subscriber can have
 * thousands of them.
 *
 * <p><b>Thread-safety:</b> under the lock of the {@link SubscriptionList}.
 */
final class Overlaps {
    private final Map<String, List<Subscription>> byTopic = new HashMap<>();
    private final Set<Subscription> wildcards = new HashSet<>();

    void add(Subscription subscription) {
        if (subscription.topicFilter().isWildcard()) {
            wildcards.add(subscription);
        } else {
            byTopic.computeIfAbsent(subscription.filter(), any -> new ArrayList<>(1))
                    .add(subscription);
        }
    }

    void remove(Subscription subscription) {
        wildcards.remove(subscription);
        byTopic.computeIfPresent(subscription.filter(), (topic, others) -> {
            others.remove(subscription);
            return others.isEmpty() ? null : others;
        });
    }

    /** Returns true if there is an earlier, open subscription to the same topic. */
    boolean hasEarlier(Subscription subscription) {
        return byTopic.getOrDefault(subscription.filter(), List.of()).stream()
                .anyMatch(other -> other.number() < subscription.number() && !other.isLeft());
    }

    /**
     * Checks that a new subscription can be added.
     *
     * @throws IllegalStateException when another subscription can match the same topic, and either the policies differ
     *     or the new subscription starts with older messages
     */
    void check(Subscription added) {
        TopicFilter filter = added.topicFilter();
        wildcards.forEach(other -> check(added, other));
        if (filter.isWildcard()) {
            byTopic.values().forEach(others -> others.forEach(other -> check(added, other)));
        } else {
            byTopic.getOrDefault(filter.toString(), List.of()).forEach(other -> check(added, other));
        }
    }

    private static void check(Subscription added, Subscription other) {
        boolean isAllowed = other.policy() == added.policy() && added.start() == SubscriptionStart.LIVE;
        boolean isShared = added.group() == null && other.group() == null; // a member of a group has its own buffers
        if (isAllowed || !isShared || other.isLeft() || !other.topicFilter().overlaps(added.topicFilter())) {
            return;
        }
        String both =
                "filter=\"" + added.filter() + "\" with %s can match a topic of filter=\"" + other.filter() + "\"";
        if (other.policy() != added.policy()) {
            throw new IllegalStateException(both.formatted(describe(added.policy())) + " with "
                    + describe(other.policy()) + "; use the same policy, or another Subscriber");
        }
        throw new IllegalStateException(both.formatted("start " + added.start())
                + ", whose messages already arrive; use another Subscriber, or subscribe to this filter first");
    }

    private static String describe(SlowPolicy policy) {
        return policy == null ? "the broker's slow policy" : "slow policy " + policy;
    }
}
