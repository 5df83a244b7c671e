package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class TopicRightsTest {
    /**
     * All topics of up to five levels that are formed from a few names, an empty name, and a name that no filter in
     * these tests contains. The list also contains topics that start with {@code $}.
     */
    private static final List<String> TOPICS = topics();

    private static TopicRights rights(String... filters) {
        return new TopicRights(Arrays.stream(filters).map(TopicFilter::of).toList());
    }

    /**
     * Each row is also checked against the generated topics: a set covers a filter if it contains all topics that
     * match.
     */
    @ParameterizedTest
    @CsvSource({
        "a/#, a, true",
        "a/#, a/b, true",
        "a/#, a/+, true",
        "a/#, a/b/#, true",
        "a/#, a/#, true",
        "a/#, a/+/#, true",
        "a/#, a//, true",
        "a/#, #, false",
        "a/#, +, false",
        "a/#, +/#, false",
        "a/#, +/b, false",
        "a/#, b/#, false",
        "a/#, b, false",
        "a/+, a/b, true",
        "a/+, a/, true",
        "a/+, a/+, true",
        "a/+, a, false",
        "a/+, a/#, false",
        "a/+, a/+/#, false",
        "a/+, a/b/#, false",
        "a/+, a/b/b, false",
        "+, a, true",
        "+, +, true",
        "+, #, false",
        "+, a/#, false",
        "+, +/+, false",
        "#, a, true",
        "#, #, true",
        "#, +, true",
        "#, +/#, true",
        "#, /#, true",
        "#, +/+, true",
        "+/#, #, true",
        "+/#, +, true",
        "+/+/#, #, false",
        "+/+/#, +/#, false",
        "+/+/#, a/+, true",
        "/#, /+, true",
        "/#, +/+, false",
        "/+/#, /#, true",
        "/+, /#, false",
        "a, a, true",
        "a, a/#, false",
        "a, +, false",
        "a, #, false",
        "a/+/b, a/+/b, true",
        "a/+/b, a/b/b, true",
        "a/+/b, a/+/+, false",
        "a/+/b, a/+/#, false",
        "+/b, a/b, true",
        "+/b, +/b, true",
        "+/b, a/+, false",
        "a;a/+/#, a/#, true",
        "a;a/+;a/+/+/#, a/#, true",
        "a;a/+/+/#, a/#, false",
        "a;a/b/#, a/#, false",
        "a/+/#, a/#, false",
        "+;+/+/#, #, true",
        "a;b, +, false",
        "a;b;+, +, true",
        "a/+;+/b, a/b, true",
        "a/+;+/b, a/+, true",
        "a/+;+/b, +/+, false"
    })
    void shouldCoverAFilterIfAllItsTopicsAreInTheSet(String filters, String filter, boolean isCovered) {
        TopicRights rights = rights(filters.split(";"));
        assertThat(rights.covers(TopicFilter.of(filter))).isEqualTo(isCovered);
        assertThat(coversAllTopics(rights, TopicFilter.of(filter))).isEqualTo(isCovered);
    }

    @Test
    void shouldCoverWhatItCoversByAnyCombinationOfShortFilters() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<TopicFilter> filters = filters();
        int coveredCount = 0;
        for (int i = 0; i < 3000; i++) {
            TopicRights rights = new TopicRights(random.ints(1 + random.nextInt(4), 0, filters.size())
                    .mapToObj(filters::get)
                    .toList());
            TopicFilter filter = filters.get(random.nextInt(filters.size()));
            boolean isCovered = rights.covers(filter);
            assertThat(isCovered)
                    .as("seed=%d: %s covers %s", seed, rights, filter)
                    .isEqualTo(coversAllTopics(rights, filter));
            coveredCount += isCovered ? 1 : 0;
        }
        assertThat(coveredCount).as("seed=%d", seed).isBetween(100, 2900);
    }

    @Test
    void shouldNotContainTopicsThatBeginWithADollarSign() {
        String inbox = InboxName.random();
        for (TopicRights rights : List.of(TopicRights.ALL, rights("+/#"), rights("+/+"))) {
            assertThat(rights.allows(inbox)).isFalse();
            assertThat(rights.allows("$SYS/a")).isFalse();
            assertThat(rights.covers(TopicFilter.ofOrInbox(inbox))).isFalse();
        }
    }

    @Test
    void shouldBeEmptyWithoutFilters() {
        assertThat(TopicRights.NONE.isEmpty()).isTrue();
        for (String filter : List.of("a", "+", "#", "/#", "a/#")) {
            assertThat(TopicRights.NONE.covers(TopicFilter.of(filter))).isFalse();
        }
        assertThat(TopicRights.NONE.allows("a")).isFalse();
    }

    @Test
    void shouldCompareTheLongestFilters() {
        String deep = "/".repeat(252);
        assertThat(rights(deep + "/#").covers(TopicFilter.of(deep + "/+"))).isTrue();
        assertThat(rights(deep + "+").covers(TopicFilter.of(deep + "#"))).isFalse();
        assertThat(TopicRights.ALL.covers(TopicFilter.of(deep + "+"))).isTrue();
    }

    @Test
    void shouldDescribeOnlySomeOfManyFilters() {
        assertThat(rights("a", "b/#").describe()).isEqualTo("a, b/#");
        assertThat(rights("a", "b", "c", "d", "e").describe()).isEqualTo("a, b, c and 2 more");
    }

    private static boolean coversAllTopics(TopicRights rights, TopicFilter filter) {
        return TOPICS.stream().filter(filter::matches).allMatch(rights::allows);
    }

    private static List<TopicFilter> filters() {
        List<TopicFilter> filters = new ArrayList<>(List.of(TopicFilter.of("#")));
        for (String text : combinations(List.of("a", "b", "", "+"), 3)) {
            if (!text.isEmpty()) {
                filters.add(TopicFilter.of(text));
            }
            filters.add(TopicFilter.of(text + "/#"));
        }
        return filters;
    }

    private static List<String> topics() {
        List<String> topics = new ArrayList<>(combinations(List.of("a", "b", "other", ""), 5));
        topics.remove(""); // no topic has an empty name
        topics.addAll(List.of("$SYS", "$SYS/a", "$SYS/a/b", "$/a", "$"));
        return topics;
    }

    /** Returns all names that consist of one to {@code most} of the given levels. */
    private static List<String> combinations(List<String> levels, int most) {
        List<String> all = new ArrayList<>(levels);
        List<String> longest = levels;
        for (int i = 1; i < most; i++) {
            longest = longest.stream()
                    .flatMap(start -> levels.stream().map(level -> start + "/" + level))
                    .toList();
            all.addAll(longest);
        }
        return all;
    }

    @Test
    void shouldDescribeOnlyAsManyFiltersAsFitIntoARefusal() {
        String longest = "\u20ac".repeat(85);
        assertThat(rights("a", "b").describe()).isEqualTo("a, b");
        assertThat(rights("a", "b", "c", "d").describe()).isEqualTo("a, b, c and 1 more");
        assertThat(rights(longest, longest, longest).describe()).isEqualTo(longest + ", " + longest + " and 1 more");
    }
}
