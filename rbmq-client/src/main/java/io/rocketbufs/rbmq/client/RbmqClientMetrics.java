package io.rocketbufs.rbmq.client;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * A binder that exposes the counters of an {@link RbmqClient} in a Micrometer registry. It registers meters for the
 * client, for each topic to which the client publishes, and for each topic or filter to which it subscribes.
 *
 * <p>{@link #refresh()} adds series for new topics and filters. Call it before each read of the registry, such as a
 * scrape. A series remains after its topic or subscription has ended, so that its counters do not decrease. Topics and
 * filters beyond a limit have no separate series, but the client's counters include them.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns the meters, which {@link #close()} removes from the
 * registries. Does not own the client.
 */
public final class RbmqClientMetrics implements MeterBinder, AutoCloseable {
    private static final int DEFAULT_LIMIT = 100;

    private final RbmqClient client;
    private final Tags tags;
    private final int limit;
    private final Set<TopicPublisher> topics = new LinkedHashSet<>();
    private final Map<String, FilterCounts> filters = new LinkedHashMap<>();
    private final List<Bound> registries = new ArrayList<>();
    private volatile int omittedCount;

    /** A registry and the meters added to it. */
    private record Bound(MeterRegistry registry, List<Meter> meters) {}

    /** The counters of all subscriptions to one filter, including those that have ended. */
    private static final class FilterCounts {
        private final Set<Subscription> open = new LinkedHashSet<>();
        private final SubscriptionCounts ended = new SubscriptionCounts();

        synchronized void add(Subscription current) {
            open.add(current);
        }

        synchronized void removeEnded() {
            open.removeIf(subscription -> {
                boolean isEnded = subscription.closed().isDone();
                if (isEnded) {
                    ended.add(subscription.counts());
                }
                return isEnded;
            });
        }

        synchronized double sum(ToLongFunction<SubscriptionCounts> counter) {
            return counter.applyAsLong(ended)
                    + open.stream()
                            .mapToLong(one -> counter.applyAsLong(one.counts()))
                            .sum();
        }
    }

    /**
     * Creates a binder without additional tags, for the only client of a registry, with a limit of 100 topics and 100
     * filters.
     */
    public RbmqClientMetrics(RbmqClient client) {
        this(client, Tags.empty(), DEFAULT_LIMIT);
    }

    /**
     * Creates a binder.
     *
     * @param tags tags added to every meter; they must distinguish the clients of one registry, and have the same keys
     *     for all clients
     * @param limit maximum number of topics, and of filters, with separate series; 0 for none
     * @throws IllegalArgumentException when the limit is negative
     */
    public RbmqClientMetrics(RbmqClient client, Iterable<Tag> tags, int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit=" + limit + ": must not be negative");
        }
        this.client = client;
        this.tags = Tags.of(tags);
        this.limit = limit;
    }

    /**
     * Adds the meters of the client, its topics and its filters to a registry.
     *
     * @throws IllegalStateException when the registry already has meters of a client with the same tags
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        Set<Meter> others = Collections.newSetFromMap(new IdentityHashMap<>());
        others.addAll(registry.getMeters());
        Bound bound = new Bound(registry, new ArrayList<>());
        addClient(bound, others);
        registries.add(bound);
        topics.forEach(topic -> add(bound, topic));
        filters.forEach((filter, counts) -> add(bound, filter, counts));
        refresh();
    }

    /** Adds series for new topics and filters. */
    public synchronized void refresh() {
        filters.values().forEach(FilterCounts::removeEnded);
        int omitted = 0;
        for (TopicPublisher topic : client.topics()) {
            if (topics.contains(topic)) {
                continue;
            }
            if (topics.size() < limit) {
                topics.add(topic);
                registries.forEach(bound -> add(bound, topic));
            } else {
                omitted++;
            }
        }
        Set<String> omittedFilters = new LinkedHashSet<>();
        for (Subscription subscription : client.subscriptions()) {
            if (!subscription.closed().isDone() && !include(subscription)) {
                omittedFilters.add(subscription.filter());
            }
        }
        omittedCount = omitted + omittedFilters.size();
    }

    /** Returns true if the subscription's filter has a series, or is within the limit. */
    private boolean include(Subscription subscription) {
        String filter = subscription.filter();
        FilterCounts counts = filters.get(filter);
        if (counts == null) {
            if (filters.size() >= limit) {
                return false;
            }
            FilterCounts added = new FilterCounts();
            filters.put(filter, added);
            registries.forEach(bound -> add(bound, filter, added));
            counts = added;
        }
        counts.add(subscription);
        return true;
    }

    /** Removes the meters from all registries. The binder can then be bound again. */
    @Override
    public synchronized void close() {
        registries.forEach(bound -> bound.meters().forEach(bound.registry()::remove));
        registries.clear();
    }

    /**
     * @param others meters that were already in the registry, compared by identity because a registry may change the
     *     names and tags in their ids
     */
    private void addClient(Bound bound, Set<Meter> others) {
        counter(bound, "published.messages", tags, client, RbmqClient::publishedCount);
        if (others.contains(bound.meters().get(0))) {
            throw new IllegalStateException("the registry has the meters of a client with tags=" + tags
                    + ": use tags that distinguish the clients");
        }
        counter(bound, "published.bytes", tags, client, RbmqClient::publishedLength);
        gauge(bound, "unconfirmed.messages", tags, client, RbmqClient::unconfirmedCount);
        gauge(bound, "unconfirmed.bytes", tags, client, RbmqClient::unconfirmedLength);
        counter(bound, "unheard.messages", tags, client, RbmqClient::unheardCount);
        counter(bound, "received.messages", tags, client, RbmqClient::receivedCount);
        counter(bound, "received.bytes", tags, client, RbmqClient::receivedLength);
        counter(bound, "lost.bytes", tags, client, RbmqClient::lostLength);
        counter(bound, "unknown.gaps", tags, client, RbmqClient::unknownGapCount);
        counter(bound, "failed.messages", tags, client, RbmqClient::failedCount);
        counter(bound, "malformed.buffers", tags, client, RbmqClient::malformedCount);
        counter(bound, "reconnects", tags, client, RbmqClient::reconnectCount);
        counter(bound, "resent.messages", tags, client, RbmqClient::resentCount);
        counter(bound, "dropped.messages", tags, client, RbmqClient::droppedCount);
        counter(bound, "caused.delays", tags, client, RbmqClient::causedDelayCount);
        counter(bound, "suffered.delays", tags, client, RbmqClient::sufferedDelayCount);
        gauge(bound, "omitted.names", tags, client, any -> omittedCount);
    }

    private void add(Bound bound, TopicPublisher topic) {
        Tags all = tags.and("topic", topic.topic());
        counter(bound, "topic.published.messages", all, topic, TopicPublisher::publishedCount);
        counter(bound, "topic.published.bytes", all, topic, TopicPublisher::publishedLength);
        gauge(bound, "topic.unconfirmed.messages", all, topic, TopicPublisher::unconfirmedCount);
        gauge(bound, "topic.unconfirmed.bytes", all, topic, TopicPublisher::unconfirmedLength);
        counter(bound, "topic.unheard.messages", all, topic, TopicPublisher::unheardCount);
        counter(bound, "topic.resent.messages", all, topic, TopicPublisher::resentCount);
        counter(bound, "topic.dropped.messages", all, topic, TopicPublisher::droppedCount);
    }

    private void add(Bound bound, String filter, FilterCounts counts) {
        Tags all = tags.and("filter", filter);
        counter(bound, "filter.received.messages", all, client, any -> counts.sum(SubscriptionCounts::receivedCount));
        counter(bound, "filter.received.bytes", all, client, any -> counts.sum(SubscriptionCounts::receivedLength));
        counter(bound, "filter.lost.bytes", all, client, any -> counts.sum(SubscriptionCounts::lostLength));
        counter(bound, "filter.unknown.gaps", all, client, any -> counts.sum(SubscriptionCounts::unknownGapCount));
        counter(bound, "filter.failed.messages", all, client, any -> counts.sum(SubscriptionCounts::failedCount));
        counter(bound, "filter.malformed.buffers", all, client, any -> counts.sum(SubscriptionCounts::malformedCount));
    }

    // A registry references the source only weakly, and the function strongly. Where only the binder references another
    // source, the client is passed instead.

    private static <T> void counter(Bound bound, String name, Tags tags, T source, ToDoubleFunction<T> number) {
        bound.meters()
                .add(FunctionCounter.builder("rbmq.client." + name, source, number)
                        .tags(tags)
                        .register(bound.registry()));
    }

    private static <T> void gauge(Bound bound, String name, Tags tags, T source, ToDoubleFunction<T> number) {
        bound.meters()
                .add(Gauge.builder("rbmq.client." + name, source, number)
                        .tags(tags)
                        .register(bound.registry()));
    }
}
