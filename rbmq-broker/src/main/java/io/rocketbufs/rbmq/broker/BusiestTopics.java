package io.rocketbufs.rbmq.broker;

import io.rocketbufs.web.Top;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The busiest topics, which have their own metrics. All other topics share one entry, which counts the traffic of a
 * topic only while the topic has no entry to itself. The counters of the shared entry therefore never decrease; a
 * decreasing counter would look like a restart. The selection changes at most once a minute, except that new topics
 * fill free places.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class BusiestTopics {
    /** Name of the shared entry of all other topics. A topic with this name never has its own metrics. */
    static final String OTHERS = "(others)";

    private static final long PERIOD_NS = 60_000_000_000L;

    private final int limit;
    /** The counters at the last call. */
    private Map<String, TopicReading> last = Map.of();
    /** The counters when the topics were last selected. */
    private Map<String, TopicReading> atSelection = Map.of();

    private long selectedNs;
    private Set<String> shown = Collections.emptySet();
    private Traffic others = Traffic.NONE;

    /** @param limit maximum number of topics with their own metrics */
    BusiestTopics(int limit) {
        this.limit = limit;
    }

    /** Returns the entries of the busiest topics, sorted by name, followed by the shared entry of all other topics. */
    synchronized List<TopicReading> select(BrokerReading now) {
        Map<String, TopicReading> topics = now.topics();
        if (atSelection.isEmpty() || now.atNs() - selectedNs >= PERIOD_NS) {
            shown = new HashSet<>(busiest(topics, Set.of(), limit));
            atSelection = topics;
            selectedNs = now.atNs();
        } else {
            shown.retainAll(topics.keySet());
            if (shown.size() < limit && shown.size() < topics.size()) {
                shown.addAll(busiest(topics, shown, limit - shown.size()));
            }
        }
        List<TopicReading> entries = new ArrayList<>();
        shown.stream().sorted().forEach(name -> entries.add(topics.get(name)));
        entries.add(others(topics));
        last = topics;
        return entries;
    }

    private List<String> busiest(Map<String, TopicReading> topics, Set<String> without, int count) {
        Map<String, Long> bytes = new HashMap<>(2 * topics.size());
        for (TopicReading topic : topics.values()) {
            if (!without.contains(topic.name()) && !topic.name().equals(OTHERS)) {
                Traffic change = change(topic, atSelection);
                bytes.put(topic.name(), change.receivedLength() + change.sentLength());
            }
        }
        Comparator<Map.Entry<String, Long>> order =
                Map.Entry.<String, Long>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey());
        return Top.of(bytes.entrySet(), order, count).stream()
                .map(Map.Entry::getKey)
                .toList();
    }

    private static Traffic change(TopicReading topic, Map<String, TopicReading> since) {
        TopicReading before = since.get(topic.name());
        return before == null ? topic.traffic() : topic.traffic().minus(before.traffic());
    }

    private TopicReading others(Map<String, TopicReading> topics) {
        int publishers = 0;
        int subscribers = 0;
        Lag lag = Lag.NONE;
        TrafficSum sum = new TrafficSum();
        sum.add(others);
        for (TopicReading topic : topics.values()) {
            if (!shown.contains(topic.name())) {
                publishers += topic.publisherCount();
                subscribers += topic.subscriberCount();
                lag = lag.plus(topic.lag());
                sum.add(change(topic, last));
            }
        }
        others = sum.read();
        return new TopicReading(OTHERS, null, publishers, subscribers, 0, others, lag, this);
    }
}
