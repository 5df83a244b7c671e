package io.rocketbufs.rbmq.broker;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures how long the broker takes to find the readers of a topic that appears, and to add and remove them, with
 * 1,000 filters and 10,000 topics. A program, not a test, because its result depends on the machine.
 */
final class FilterTiming {
    private static final int FILTER_COUNT = 1000;
    private static final int TOPIC_COUNT = 10_000;
    private static final int ROUNDS = 50;

    private FilterTiming() {}

    /** Prints the mean time of each of the last rounds. */
    public static void main(String[] args) {
        Filters filters = new Filters();
        for (int i = 0; i < FILTER_COUNT; i++) {
            String filter = switch (i % 4) {
                case 0 -> "building/" + i + "/#";
                case 1 -> "building/+/floor/" + i % 10 + "/room/" + i;
                case 2 -> "+/" + i + "/floor/+/room/#";
                default -> i < 20 ? "#" : "building/" + i + "/floor/+/room/+";
            };
            filters.add(new TopicReader(new ConnectedSubscriber(null, "reader"), i, TopicFilter.of(filter), null));
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < TOPIC_COUNT; i++) {
            names.add("building/" + i % 1000 + "/floor/" + i % 10 + "/room/" + i);
        }
        long matchCount = 0;
        for (int round = 0; round < ROUNDS; round++) {
            List<Topic> topics = names.stream().map(Topic::new).toList();
            long longestNs = 0;
            long startNs = System.nanoTime();
            for (Topic topic : topics) {
                long joinNs = System.nanoTime();
                filters.matching(topic.name()).forEach(topic::addMatch);
                longestNs = Math.max(longestNs, System.nanoTime() - joinNs);
                matchCount += topic.readers().size();
            }
            double meanUs = (System.nanoTime() - startNs) / 1e3 / TOPIC_COUNT;
            topics.forEach(Topic::removeMatches);
            if (round >= ROUNDS - 5) {
                System.out.printf(
                        Locale.ROOT,
                        "%.2f us for each of %d topics, longest %.0f us, %.1f readers each%n",
                        meanUs,
                        TOPIC_COUNT,
                        longestNs / 1e3,
                        (double) matchCount / (round + 1) / TOPIC_COUNT);
            }
        }
    }
}
