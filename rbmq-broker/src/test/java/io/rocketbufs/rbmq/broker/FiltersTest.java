package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class FiltersTest {
    private static final String[] FILTER_LEVELS = {"a", "b", "", "+"};
    private static final String[] TOPIC_LEVELS = {"a", "b", "", "c"};

    private final Filters filters = new Filters();

    @Test
    void shouldFindTheSameReadersAsAComparisonWithEachFilter() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<TopicReader> readers = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            if (readers.isEmpty() || random.nextInt(5) > 1) {
                TopicReader reader = reader(randomFilter(random));
                readers.add(reader);
                filters.add(reader);
            } else {
                filters.remove(readers.remove(random.nextInt(readers.size())));
            }
            String topic = (random.nextInt(10) == 0 ? "$" : "") + name(random, TOPIC_LEVELS);
            assertThat(filters.matching(topic))
                    .as("topic %s, seed %d", topic, seed)
                    .containsExactlyInAnyOrderElementsOf(readers.stream()
                            .filter(reader -> reader.filter().matches(topic))
                            .toList());
        }
    }

    @Test
    void shouldRemoveOneOfSeveralReadersOfAFilterAndIgnoreUnknownOnes() {
        TopicReader first = reader("a/+/#");
        TopicReader second = reader("a/+/#");
        filters.add(first);
        filters.add(second);
        filters.remove(first);
        filters.remove(first);
        filters.remove(reader("a/b/c/+"));
        assertThat(filters.matching("a/b")).containsExactly(second);
    }

    @Test
    void shouldCompareAllLevelsOfALongName() {
        TopicReader deep = reader("+/".repeat(127) + "+");
        filters.add(deep);
        assertThat(filters.matching("/".repeat(127))).containsExactly(deep);
        assertThat(filters.matching("/".repeat(126))).isEmpty();
        assertThat(filters.matching("/".repeat(128))).isEmpty();
    }

    private static String randomFilter(Random random) {
        String filter = name(random, FILTER_LEVELS);
        if (filter.isEmpty()) {
            return "#";
        }
        return filter.contains("+") && random.nextBoolean() ? filter : filter + "/#";
    }

    /** Returns a name of one to four levels. */
    private static String name(Random random, String... levels) {
        StringBuilder name = new StringBuilder(levels[random.nextInt(levels.length)]);
        for (int i = random.nextInt(4); i > 0; i--) {
            name.append('/').append(levels[random.nextInt(levels.length)]);
        }
        return name.toString();
    }

    private static TopicReader reader(String filter) {
        ConnectedSubscriber subscriber =
                new ConnectedSubscriber(null, new Greeting(0, "reader", new byte[0]), Principals.ALL, () -> 100_000);
        return new TopicReader(subscriber, 1, TopicFilter.of(filter), null);
    }
}
