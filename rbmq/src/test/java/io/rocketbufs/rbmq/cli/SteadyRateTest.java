package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class SteadyRateTest {
    private final SteadyRate rate = new SteadyRate();
    private long nowNs;
    private long count;

    /** Adds a sample one second later, after the given number of further messages. */
    private boolean add(long messages) {
        nowNs += 1_000_000_000;
        count += messages;
        return rate.add(nowNs, count);
    }

    @Test
    void shouldBeSteadyWhenThreeRatesAreAlike() {
        assertThat(add(0)).isFalse();
        assertThat(add(1000)).isFalse();
        assertThat(add(1050)).isFalse();
        assertThat(add(960)).isTrue();
    }

    @Test
    void shouldNotBeSteadyWhileTheRateGrowsOrNothingFlows() {
        for (int i = 0; i < 5; i++) {
            assertThat(add(0)).isFalse();
        }
        for (long messages = 1000; messages < 100_000; messages = messages * 6 / 5) {
            assertThat(add(messages)).isFalse();
        }
        add(100_000);
        add(100_000);
        assertThat(add(100_000)).isTrue();
    }
}
