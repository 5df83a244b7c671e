package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class BusiestTopicsTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final BusiestTopics busiest = new BusiestTopics(2);
    private final Map<String, Long> received = new HashMap<>();
    private long nowNs = 5;

    private List<TopicReading> select(long laterS) {
        nowNs += laterS * SECOND_NS;
        Map<String, TopicReading> topics = new HashMap<>();
        received.forEach((name, length) -> topics.put(
                name,
                new TopicReading(name, null, 1, 2, 0, new Traffic(length, 0, 0, 0, 0), new Lag(10, 0, 0, 0), name)));
        return busiest.select(
                new BrokerReading(nowNs, 0, null, topics, 0, Map.of(), List.of(), Traffic.NONE, 0, Lag.NONE));
    }

    private static List<String> names(List<TopicReading> entries) {
        return entries.stream().map(TopicReading::name).toList();
    }

    private static TopicReading others(List<TopicReading> entries) {
        return entries.get(entries.size() - 1);
    }

    @Test
    void shouldSelectTheBusiestTopicsAndAddUpTheOthers() {
        received.putAll(Map.of("a", 1L, "b", 50L, "c", 40L, "d", 2L));
        List<TopicReading> entries = select(0);
        assertThat(names(entries)).containsExactly("b", "c", "(others)");
        assertThat(others(entries).traffic().receivedLength()).isEqualTo(3);
        assertThat(others(entries).publisherCount()).isEqualTo(2);
        assertThat(others(entries).subscriberCount()).isEqualTo(4);
        assertThat(others(entries).lag().pendingLength()).isEqualTo(20);
    }

    @Test
    void shouldKeepTheSelectionForAMinuteAndThenFollowTheTrafficOfThatMinute() {
        received.putAll(Map.of("a", 1000L, "b", 900L, "c", 0L));
        assertThat(names(select(0))).containsExactly("a", "b", "(others)");
        received.put("c", 500L);
        received.put("b", 901L);
        assertThat(names(select(59))).containsExactly("a", "b", "(others)");
        assertThat(names(select(1))).containsExactly("b", "c", "(others)");
    }

    @Test
    void shouldFillFreePlacesAtOnce() {
        assertThat(names(select(0))).containsExactly("(others)");
        received.putAll(Map.of("a", 1L));
        assertThat(names(select(1))).containsExactly("a", "(others)");
        received.putAll(Map.of("b", 1L, "c", 2L));
        assertThat(names(select(1))).containsExactly("a", "c", "(others)");
        received.remove("a");
        assertThat(names(select(1))).containsExactly("b", "c", "(others)");
    }

    @Test
    void shouldNeverGiveATopicWithTheNameOfTheOthersItsOwnEntry() {
        received.putAll(Map.of("(others)", 1000L, "a", 1L));
        List<TopicReading> entries = select(0);
        assertThat(names(entries)).containsExactly("a", "(others)");
        assertThat(others(entries).traffic().receivedLength()).isEqualTo(1000);
    }

    @Test
    void shouldNeverDecreaseTheCounterOfTheOthersOrCountItsIncreasesTwice() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        long counted = 0;
        long happened = 0;
        Map<String, Long> last = new HashMap<>();
        for (int round = 0; round < 1000; round++) {
            String topic = "t" + random.nextInt(6);
            if (random.nextInt(20) == 0) {
                received.remove(topic);
            } else {
                long more = random.nextInt(1000);
                received.merge(topic, more, Long::sum);
                happened += more;
            }
            Map<String, Long> entries = new HashMap<>();
            select(random.nextInt(40))
                    .forEach(each -> entries.put(each.name(), each.traffic().receivedLength()));
            assertThat(entries.get("(others)"))
                    .as("seed %d", seed)
                    .isGreaterThanOrEqualTo(last.getOrDefault("(others)", 0L));
            for (Map.Entry<String, Long> entry : entries.entrySet()) {
                // As with Prometheus' rate(), the first value of a series does not count.
                counted += Math.max(0, entry.getValue() - last.getOrDefault(entry.getKey(), entry.getValue()));
            }
            last = entries;
        }
        assertThat(counted).as("seed %d", seed).isPositive().isLessThanOrEqualTo(happened);
    }
}
