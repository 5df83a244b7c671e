package io.rocketbufs.benchmarks.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Latency;
import io.rocketbufs.benchmarks.compare.Load;
import io.rocketbufs.benchmarks.compare.Measurement;
import io.rocketbufs.benchmarks.compare.Results;
import io.rocketbufs.benchmarks.compare.Run;
import io.rocketbufs.benchmarks.compare.Target;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShmFindingsTest {
    private static final Cell STREAM = ShmExperiment.STREAM.cell(64);
    private static final Cell TRIP = ShmExperiment.ROUND_TRIP.cell(64);
    private static final long LONGEST_MS = 6 * 60_000;

    private final ShmFindings findings = new ShmFindings();

    private static Run rate(String name, double rate) {
        return new Run(name, STREAM, 0, new Load(1, 1), new Measurement(rate, 0, 1, 0.5, Latency.NONE, 0), 0);
    }

    private static Run trip(String name, double us) {
        Latency latency = Latency.of(percent -> us * percent / 50);
        return new Run(name, TRIP, 0, new Load(1, 1), new Measurement(1e6 / us, 0, 0.25, 0.25, latency, 0), 0);
    }

    private static Results results() {
        return new Results(List.of(
                rate("shm", 4e6),
                rate("shm-spin", 5e6),
                rate("aeron", 5e6),
                rate("aeron-spin", 10e6),
                rate("aeron-yield", 8e6),
                trip("shm", 12),
                trip("shm-spin", 1.5),
                trip("aeron-spin", 3),
                trip("aeron-yield", 1),
                trip("pipe", 10)));
    }

    @Test
    void shouldCompareDefaultsWithDefaultsAndTheBestSettingsWithTheBest() {
        assertThat(findings.targets(results(), "shm"))
                .extracting(Target::toString)
                .containsExactly(
                        "stream, 64 B: rate, shm against aeron: at least 1.00, found 0.80 (0.80 to 0.80)",
                        "stream, 64 B: rate, shm-spin against aeron-spin: at least 1.00, found 0.50 (0.50 to 0.50)",
                        "round-trip, 64 B: round trip, p50, shm-spin against aeron-yield: at most 1.20,"
                                + " found 1.50 (1.50 to 1.50)",
                        "round-trip, 64 B: round trip, p50, shm against pipe: at most 1.30, found 1.20 (1.20 to 1.20)");
        assertThat(findings.targets(results(), "shm"))
                .extracting(Target::isMet)
                .containsExactly(false, false, false, true);
    }

    @Test
    void shouldLeaveOutGoalsWithoutBothSides() {
        assertThat(findings.targets(new Results(List.of(rate("shm", 1), trip("aeron", 1))), "shm"))
                .isEmpty();
    }

    @Test
    void shouldReportRatesAndTimes() {
        StringBuilder text = new StringBuilder();
        findings.write(results(), "shm", text);
        assertThat(text)
                .contains("## Messages per second, one way")
                .contains("| 64 B | 4.00 M | 5.00 M (0.80; 0.80 to 0.80) |")
                .contains("| 64 B | 12.0 | 1.5 (8.00; 8.00 to 8.00) |")
                .contains("| stream, 64 B | 100 + 50 |");
    }

    @Test
    void shouldMeasureEveryGoalInACellOfItsExperiment() {
        assertThat(ShmGoal.ALL)
                .allSatisfy(goal -> assertThat(((ShmExperiment) goal.cell().experiment()).cells())
                        .contains(goal.cell()));
    }

    @Test
    void shouldTakeLessThanSixMinutesWithAllContendersIfQuick(@TempDir Path folder) throws Exception {
        List<Contender> contenders = new ArrayList<>();
        for (ShmPeer each : ShmPeer.values()) {
            contenders.add(
                    each == ShmPeer.PIPE
                            ? new PipeContender("pipe", folder)
                            : each.contender(folder, folder, Path.of(".")));
        }
        long estimateMs = 0;
        for (ShmExperiment experiment : ShmExperiment.values()) {
            for (Cell cell : experiment.cells()) {
                estimateMs += contenders.stream()
                        .filter(each -> each.takesPartIn(cell))
                        .mapToLong(each ->
                                each.estimateMs(cell, ShmComparison.QUICK_SPAN, ShmComparison.QUICK_REPETITIONS))
                        .sum();
            }
        }
        assertThat(estimateMs).isPositive().isLessThan(LONGEST_MS);
    }
}
