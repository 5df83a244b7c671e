package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.broker.History.Counters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HistorySamplerTest {
    private static final long MILLI_NS = 1_000_000;

    private final History history = new History();
    private final List<Long> delays = new ArrayList<>();
    private long nowNs;
    private long sampleMs;
    private boolean fails;
    private final HistorySampler sampler =
            new HistorySampler(history, this::counters, (task, delayMs) -> delays.add(delayMs), () -> nowNs);

    private Counters counters() {
        nowNs += sampleMs * MILLI_NS;
        if (fails) {
            throw new IllegalStateException("on purpose");
        }
        return new Counters(nowNs, 0, 0, 0, 1);
    }

    @Test
    void shouldTakeASampleEveryTwoSeconds() {
        sampler.run();
        nowNs += HistorySampler.EVERY_MS * MILLI_NS;
        sampler.run();
        assertThat(delays).containsExactly(2000L, 2000L);
        assertThat((List<?>) history.json(nowNs).get("inBytesPerSecond")).hasSize(1);
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
        assertThat((List<?>) history.json(nowNs).get("inBytesPerSecond")).hasSize(1);
    }
}
