package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.broker.History.Counters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HistoryTest {
    private static final long SECOND_NS = 1_000_000_000L;

    private final History history = new History();

    private void add(long second, long received, long sent, long lost, long heldBackMs, int publishers) {
        history.add(second * SECOND_NS, new Counters(received, sent, lost, heldBackMs, publishers));
    }

    @SuppressWarnings("unchecked")
    private List<Object> values(long nowS, String name) {
        return (List<Object>) history.json(nowS * SECOND_NS).get(name);
    }

    @Test
    void shouldBeEmptyUntilTheFirstIntervalHasEnded() {
        assertThat(values(0, "ageMs")).isEmpty();
        add(1, 1000, 1000, 0, 0, 1);
        assertThat(values(1, "ageMs")).isEmpty();
        assertThat(values(1, "heldBackPercent")).isEmpty();
    }

    @Test
    void shouldComputeRatesFromTheActualLengthOfAnInterval() {
        add(10, 1000, 5000, 7, 100, 2);
        add(12, 3000, 9000, 7, 500, 2);
        add(16, 3000, 9400, 47, 500, 2);
        assertThat(values(17, "ageMs")).isEqualTo(List.of(5000L, 1000L));
        assertThat(values(17, "inBytesPerSecond")).isEqualTo(List.of(1000.0, 0.0));
        assertThat(values(17, "outBytesPerSecond")).isEqualTo(List.of(2000.0, 100.0));
        assertThat(values(17, "lostBytesPerSecond")).isEqualTo(List.of(0.0, 10.0));
        // Two publishers have a total of 4 s, of which they have waited for 0.4 s.
        assertThat(values(17, "heldBackPercent")).isEqualTo(List.of(10.0, 0.0));
    }

    @Test
    void shouldNeitherCountADecreaseNorTheReturnToTheFormerValue() {
        add(0, 1000, 1000, 0, 0, 0);
        add(2, 900, 1000, 0, 0, 0);
        add(4, 1000, 1000, 0, 0, 0);
        add(6, 1002, 1000, 0, 0, 0);
        assertThat(values(6, "inBytesPerSecond")).isEqualTo(List.of(0.0, 0.0, 1.0));
    }

    @Test
    void shouldShowAtMostAHundredPercentWhenPublishersThatWaitedHaveLeft() {
        add(0, 0, 0, 0, 0, 0);
        add(1, 0, 0, 0, 500, 0);
        add(2, 0, 0, 0, 9500, 3);
        assertThat(values(2, "heldBackPercent")).isEqualTo(List.of(0.0, 100.0));
    }

    @Test
    void shouldKeepTheNewestIntervals() {
        List<Object> expected = new ArrayList<>();
        long received = 0;
        add(0, 0, 0, 0, 0, 1);
        for (int i = 1; i <= 2 * History.COUNT + 3; i++) {
            received += i;
            add(i, received, 0, 0, 0, 1);
            if (i > History.COUNT + 3) {
                expected.add((double) i);
            }
        }
        assertThat(values(2 * History.COUNT + 3, "inBytesPerSecond")).isEqualTo(expected);
        assertThat(values(2 * History.COUNT + 3, "ageMs"))
                .hasSize(History.COUNT)
                .startsWith((History.COUNT - 1) * 1000L);
    }
}
