package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.protocol.TopicFilter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class DeparturesTest {
    private final Departures departures = new Departures(3);

    private long count(String filter) {
        return departures.count(TopicFilter.of(filter));
    }

    @Test
    void shouldCountTheDeparturesOfTheTopicsThatMatchAFilter() {
        departures.add("a/1");
        departures.add("a/2");
        departures.add("a/1");
        departures.add("b");
        assertThat(count("a/1")).isEqualTo(2);
        assertThat(count("a/+")).isEqualTo(3);
        assertThat(count("#")).isEqualTo(4);
        assertThat(count("c")).isZero();
    }

    @Test
    void shouldNeverCountLessThanBeforeWhenATopicIsForgotten() {
        departures.add("a");
        departures.add("a");
        departures.add("b");
        departures.add("c");
        departures.add("b");
        departures.add("d"); // displaces a
        assertThat(count("a")).isEqualTo(2);
        assertThat(count("b")).isEqualTo(4);
        assertThat(count("#")).isEqualTo(6);
        departures.add("a"); // displaces c
        assertThat(count("a")).isEqualTo(4);
        assertThat(count("c")).isEqualTo(3);
        assertThat(count("#")).isEqualTo(7);
    }
}
