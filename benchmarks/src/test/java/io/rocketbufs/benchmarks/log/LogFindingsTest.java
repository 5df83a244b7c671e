package io.rocketbufs.benchmarks.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.benchmarks.compare.Cell;
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

final class LogFindingsTest {
    private static final Cell PRODUCED = LogExperiment.PRODUCE_LATENCY.cell(512, 1);
    private static final Cell POLLED = LogExperiment.POLLS.cell(512, 4);

    private final LogFindings findings = new LogFindings(true);

    private static Results results() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            runs.add(run("kafka", PRODUCED, i, 2000, 800));
            runs.add(run("rocketlog-tcp", PRODUCED, i, 10_000, 200));
            runs.add(run("kafka", POLLED, i, 10_000, Double.NaN));
            runs.add(run("rocketlog-tcp", POLLED, i, 40_000, Double.NaN));
        }
        return new Results(runs);
    }

    private static Run run(String name, Cell cell, int repetition, double rate, double us) {
        Latency latency = Double.isNaN(us) ? Latency.NONE : Latency.of(percent -> us * percent / 50);
        return new Run(name, cell, repetition, new Load(1, 0), new Measurement(rate, 0.5, 0.25, 0, latency, 0), 0);
    }

    @Test
    void shouldCompareLatenciesAndRates() {
        StringBuilder text = new StringBuilder();
        findings.write(results(), "rocketlog-tcp", text);
        assertThat(text)
                .contains("## Latency, p50, us")
                .contains("| produce-latency, 512 B | 800 (0.25; 0.25 to 0.25) | 200 |")
                .contains("| polls, 512 B, 4 clients | 10.0 k (4.00; 4.00 to 4.00) | 40.0 k |")
                .contains("| produce-latency, 512 B | 50 + 25 | 50 + 25 |");
    }

    @Test
    void shouldJudgeEveryGoalWithItsOwnBound() {
        assertThat(findings.targets(results(), "rocketlog-tcp"))
                .extracting(Target::toString)
                .containsExactly(
                        "produce-latency, 512 B: P1: latency, p50, tcp against kafka: at most 0.33,"
                                + " found 0.25 (0.25 to 0.25)",
                        "polls, 512 B, 4 clients: P10: rate, tcp against kafka: at least 5.00, found 4.00"
                                + " (4.00 to 4.00)");
        assertThat(findings.targets(results(), "rocketlog-tcp"))
                .extracting(Target::isMet)
                .containsExactly(true, false);
    }

    @Test
    void shouldCompareTheProcessorTimeOfBrokersForARecord() {
        Cell cell = LogExperiment.CONSUME_FANOUT.cell(1024, 8);
        Results found = new Results(List.of(
                run("kafka", cell, 0, 10_000, Double.NaN), run("rocketlog-tcp-memory", cell, 0, 40_000, Double.NaN)));
        assertThat(findings.targets(found, "rocketlog-tcp-memory"))
                .extracting(Target::toString)
                .containsExactly("consume-fanout, 1024 B, 8 clients: P14: processor time of the broker per record,"
                        + " tcp-memory against kafka: at most 0.60, found 0.25 (0.25 to 0.25)");
        StringBuilder text = new StringBuilder();
        findings.write(found, "rocketlog-tcp-memory", text);
        assertThat(text)
                .contains("## Processor time of the broker for a record, us")
                .contains("(0.25; 0.25 to 0.25) |");
    }

    @Test
    void shouldCompareWithTheDiskOnlyIfTheLogsAreOnIt() {
        Cell cell = LogExperiment.PRODUCE_BATCHED.cell(1024, 1);
        Results found = new Results(
                List.of(run("disk", cell, 0, 1000, Double.NaN), run("rocketlog-tcp", cell, 0, 950, Double.NaN)));
        assertThat(findings.targets(found, "rocketlog-tcp"))
                .extracting(Target::toString)
                .singleElement()
                .asString()
                .contains("P7: rate, tcp against disk: at least 0.90");
        assertThat(new LogFindings(false).targets(found, "rocketlog-tcp")).isEmpty();
    }

    @Test
    void shouldDrawTheLatencyOfEachExperiment(@TempDir Path folder) throws Exception {
        assertThat(findings.plots(results(), folder)).containsExactly("produce-latency-512.svg");
        assertThat(folder.resolve("produce-latency-512.png")).isNotEmptyFile();
    }

    @Test
    void shouldMeasureEveryGoalInACellOfItsExperiment() {
        assertThat(LogGoal.ALL)
                .allSatisfy(goal -> assertThat(((LogExperiment) goal.cell().experiment()).cells())
                        .contains(goal.cell()));
    }
}
