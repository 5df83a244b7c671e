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
 * The slow policies of a subscriber's subscriptions, which must be the same for all that can match the same topic. A
 * subscription to one topic is compared only with those to the same topic and to filters with wildcards, so that a
 * subscriber can have thousands.
 *
 * <p><b>Thread-safety:</b> under the lock of the {@link SubscriptionList}.
 */
final class SlowPolicies {
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

    /** Returns true when an earlier subscription to the same topic is not closed. */
    boolean hasEarlier(Subscription subscription) {
        return byTopic.getOrDefault(subscription.filter(), List.of()).stream()
                .anyMatch(other -> other.number() < subscription.number() && !other.isLeft());
    }

    /**
     * Checks that a new subscription can have a policy.
     *
     * @param policy null leaves the choice to the broker
     * @throws IllegalStateException when a subscription with another policy can match the same topic
     */
    void check(TopicFilter filter, SlowPolicy policy) {
        wildcards.forEach(other -> checkNoOverlap(filter, policy, other));
        if (filter.isWildcard()) {
            byTopic.values().forEach(others -> others.forEach(other -> checkNoOverlap(filter, policy, other)));
        } else {
            byTopic.getOrDefault(filter.toString(), List.of()).forEach(other -> checkNoOverlap(filter, policy, other));
        }
    }

    private static void checkNoOverlap(TopicFilter filter, SlowPolicy policy, Subscription other) {
        if (other.policy() != policy && !other.isLeft() && other.topicFilter().overlaps(filter)) {
            throw new IllegalStateException("filter=\"" + filter + "\" with " + describe(policy)
                    + " can match a topic of filter=\"" + other.filter() + "\" with " + describe(other.policy())
                    + "; use the same policy, or another Subscriber");
        }
    }

    private static String describe(SlowPolicy policy) {
        return policy == null ? "the broker's slow policy" : "slow policy " + policy;
    }
}
