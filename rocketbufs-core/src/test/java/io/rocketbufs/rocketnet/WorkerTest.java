package io.rocketbufs.rocketnet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("once")
final class WorkerTest {
    /** {@code System.nanoTime()} may be negative. */
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "1, 0, 1000000",
        "999999, 5, 6000000",
        "1000000, 5, 6000000",
        "1000001, 5, 7000000",
        "-1, 0, 0",
        "-1000001, 1, 0"
    })
    void shouldRoundDueTimesUpToAWholeMillisecond(long nowNs, long delayMs, long dueNs) {
        assertThat(Worker.dueNs(nowNs, delayMs)).isEqualTo(dueNs);
    }
}
