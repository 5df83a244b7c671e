package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TopicTotalsTest {
    private final TopicTotals totals = new TopicTotals();

    @Test
    void shouldNeverShowADecreaseOfAnyNumber() {
        assertThat(totals.record(new Traffic(10, 20, 30, 40, 50))).isEqualTo(new Traffic(10, 20, 30, 40, 50));
        assertThat(totals.record(new Traffic(11, 19, 31, 39, 51))).isEqualTo(new Traffic(11, 20, 31, 40, 51));
        assertThat(totals.record(Traffic.NONE)).isEqualTo(new Traffic(11, 20, 31, 40, 51));
    }
}
