package io.rocketbufs.rbmq.client;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A set of subscriptions that finds the subscriptions to a topic without a search through all of them, because a
 * subscriber can have thousands. Only subscriptions with wildcards are compared one by one.
 *
 * <p><b>Thread-safety:</b> the connection's worker.
 */
final class SubscriptionIndex {
    private final Map<String, Set<Subscription>> byFilter = new HashMap<>();
    private final Set<Subscription> wildcards = new LinkedHashSet<>();

    void add(Subscription subscription) {
        byFilter.computeIfAbsent(subscription.filter(), any -> new LinkedHashSet<>(2))
                .add(subscription);
        if (subscription.topicFilter().isWildcard()) {
            wildcards.add(subscription);
        }
    }

    /** Removes a subscription; returns false if it is not in this set. */
    boolean remove(Subscription subscription) {
        Set<Subscription> same = byFilter.get(subscription.filter());
        if (same == null || !same.remove(subscription)) {
            return false;
        }
        if (same.isEmpty()) {
            byFilter.remove(subscription.filter());
        }
        wildcards.remove(subscription);
        return true;
    }

    boolean isEmpty() {
        return byFilter.isEmpty();
    }

    /** Returns the filters of the subscriptions, in no particular order. */
    Collection<String> filters() {
        return byFilter.keySet();
    }

    /**
     * Returns the subscriptions for a topic or filter: those with the same filter, and those whose wildcards match the
     * topic.
     */
    List<Subscription> of(String name) {
        Set<Subscription> found = new LinkedHashSet<>(byFilter.getOrDefault(name, Set.of()));
        if (!wildcards.isEmpty() && !TopicFilter.of(name).isWildcard()) {
            wildcards.stream().filter(each -> each.topicFilter().matches(name)).forEach(found::add);
        }
        return new ArrayList<>(found);
    }
}
