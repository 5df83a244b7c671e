package io.rocketbufs.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HistorySamplerTest {
    private static final long EVERY_MS = 2000;
    private static final long MILLI_NS = 1_000_000;

    private final SampleHistory history = new SampleHistory(10, "value");
    private final List<Long> delays = new ArrayList<>();
    private long nowNs;
    private long sampleMs;
    private boolean fails;
    private final HistorySampler sampler = new HistorySampler(
            EVERY_MS, beginNs -> history.add(beginNs, sample()), (task, delayMs) -> delays.add(delayMs), () -> nowNs);

    private double sample() {
        nowNs += sampleMs * MILLI_NS;
        if (fails) {
            throw new IllegalStateException("on purpose");
        }
        return nowNs;
    }

    @Test
    void shouldTakeASampleEveryTwoSeconds() {
        sampler.run();
        nowNs += EVERY_MS * MILLI_NS;
        sampler.run();
        assertThat(delays).containsExactly(2000L, 2000L);
        assertThat((List<?>) history.json(nowNs).get("value")).hasSize(2);
    }

    @Test
    void shouldRestAHundredTimesAsLongAsASampleTakesAndAtMost20Seconds() {
        sampleMs = 50;
        sampler.run();
        sampleMs = 500;
        sampler.run();
        sampleMs = 0;
        sampler.run();
        assertThat(delays).containsExactly(5000L, 20_000L, 2000L);
    }

    @Test
    void shouldContinueAfterAFailure() {
        sampler.run();
        fails = true;
        sampler.run();
        sampler.run();
        fails = false;
        sampler.run();
        assertThat(delays).containsExactly(2000L, 2000L, 2000L, 2000L);
        assertThat((List<?>) history.json(nowNs).get("value")).hasSize(2);
    }
}
