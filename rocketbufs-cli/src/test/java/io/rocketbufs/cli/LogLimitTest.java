package io.rocketbufs.cli;

import static io.rocketbufs.cli.LogLimit.MAX_LINES_OF_KIND;
import static io.rocketbufs.cli.LogLimit.MAX_LINES_OF_PEER;
import static io.rocketbufs.cli.LogLimit.PERIOD_MS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LogLimitTest {
    private static final int MANY = 10 * MAX_LINES_OF_KIND;

    private final LogLimit limit = new LogLimit();

    private long admitted(String kind, IntFunction<String> lines) {
        return IntStream.range(0, MANY)
                .filter(i -> limit.admits(kind, lines.apply(i)))
                .count();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.1", "[::1]", "0:0:0:0:0:0:0:1"})
    void shouldLimitTheLinesAboutOnePeerAtAnyPort(String peer) {
        assertThat(admitted("refused {}", i -> "refused " + peer + ":" + i)).isEqualTo(MAX_LINES_OF_PEER);
    }

    @Test
    void shouldStillLogOtherPeersAndOtherKindsWhenOnePeerIsLimited() {
        admitted("refused {}", i -> "refused 10.0.0.1:" + i);
        assertThat(limit.admits("refused {}", "refused 10.0.0.2:1")).isTrue();
        admitted("refused {}", i -> "refused [fe80::1%eth0]:" + i);
        assertThat(limit.admits("refused {}", "refused [fe80::2%eth0]:1")).isTrue();
        assertThat(limit.admits("joined {}", "joined 10.0.0.1:1")).isTrue();
    }

    @Test
    void shouldLimitTheLinesAboutAllPeersTogether() {
        assertThat(admitted("refused {}", i -> "refused 10.0." + i / 250 + "." + i % 250 + ":1"))
                .isEqualTo(MAX_LINES_OF_KIND);
    }

    @Test
    void shouldLimitLinesWithoutAPeer() {
        assertThat(admitted("no space", i -> "no space")).isEqualTo(MAX_LINES_OF_PEER);
    }

    @Test
    void shouldLimitStatementsWithVariableText() {
        assertThat(IntStream.range(0, MANY)
                        .filter(i -> limit.admits("kind " + i, "kind " + i))
                        .count())
                .isLessThan(MAX_LINES_OF_KIND);
    }

    @Test
    void shouldReportSuppressedLinesAndRestartWhenThePeriodIsOver() {
        long startMs = 1_000_000;
        assertThat(limit.isOver(startMs)).isTrue();
        assertThat(limit.start(startMs)).isEmpty();
        admitted("refused {}", i -> "refused 10.0.0.1:" + i);
        limit.admits("joined {}", "joined 10.0.0.1:1");
        assertThat(limit.isOver(startMs + PERIOD_MS - 1)).isFalse();
        assertThat(limit.isOver(startMs + PERIOD_MS)).isTrue();
        assertThat(limit.start(startMs + PERIOD_MS))
                .containsExactly(
                        (MANY - MAX_LINES_OF_PEER) + " similar lines were suppressed: refused 10.0.0.1:" + (MANY - 1));
        assertThat(admitted("refused {}", i -> "refused 10.0.0.1:" + i)).isEqualTo(MAX_LINES_OF_PEER);
    }

    @Test
    void shouldNotSuppressLinesForHoursWhenTheClockIsSetBack() {
        long startMs = 1_000_000_000;
        limit.start(startMs);
        admitted("refused {}", i -> "refused 10.0.0.1:" + i);
        long earlierMs = startMs - 3_600_000;
        assertThat(limit.isOver(earlierMs)).isTrue();
        assertThat(limit.start(earlierMs)).hasSize(1);
        assertThat(limit.isOver(earlierMs + PERIOD_MS - 1)).isFalse();
    }
}
