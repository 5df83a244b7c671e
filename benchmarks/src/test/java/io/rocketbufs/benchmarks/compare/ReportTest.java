package io.rocketbufs.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("once")
final class ReportTest {
    private static final Cell CELL = Cell.throughput(2048, 2);
    private static final Cell UNHEARD = Cell.throughput(64, 0);
    private static final Cell PACED = new Cell(BrokerExperiment.LATENCY, 34, 1, 1, 1, 10_000);
    private static final Cell GROWN = new Cell(BrokerExperiment.TOPICS, 64, 1, 1, 1000, 0);

    @TempDir
    private Path folder;

    private static Results results() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            runs.add(run("raw", CELL, i, 1_000_000 + i, 900));
            runs.add(run("rbmq", CELL, i, 1_500_000 + i, 9900));
            runs.add(run("raw", PACED, i, 10_000, 100));
            runs.add(run("rbmq", PACED, i, 10_000, 120));
            runs.add(run("rbmq", GROWN, i, 3_000_000, 900));
            // Without subscribers, no latency is measured.
            runs.add(new Run("raw", UNHEARD, i, new Load(1, 64), new Measurement(5e6, 1, 1, 0, Latency.NONE, 0), 0));
            runs.add(new Run("rbmq", UNHEARD, i, new Load(1, 1), new Measurement(4e6, 1, 1, 0, Latency.NONE, 2), 0));
        }
        return new Results(runs);
    }

    /** Returns a run whose latency grows linearly with the percentile. */
    private static Run run(String name, Cell cell, int repetition, double rate, double slowestUs) {
        Latency latency = Latency.of(percent -> slowestUs * percent / 100);
        return new Run(name, cell, repetition, new Load(1, 64), new Measurement(rate, 0.9, 0.4, 0.5, latency, 0), 0.01);
    }

    private static Report report() {
        return new Report(results(), Map.of("machine", "two processors"), "rbmq", new BrokerFindings());
    }

    @Test
    void shouldWriteEveryMeasurementAsALineOfCsv() throws Exception {
        report().write(folder);
        List<String> lines = Files.readAllLines(folder.resolve("runs.csv"));
        assertThat(lines).hasSize(22);
        assertThat(lines.get(0)).startsWith("experiment,size,").endsWith(",p99_us,p99.9_us");
        assertThat(lines)
                .anyMatch(line ->
                        line.startsWith("throughput,2048,0,2,1,0,1,raw,1,64,1000001.0,0.900,0.400,0.500,0,0.010,9.0,")
                                && line.endsWith(",891.0,899.1"))
                .anyMatch(line ->
                        line.startsWith("throughput,64,0,0,1,0,2,rbmq,1,1,4000000.0,1.000,1.000,0.000,2,0.000,,"))
                .anyMatch(line -> line.startsWith("topics,64,1,1,1000,0,2,rbmq,"));
    }

    @Test
    void shouldCompareNeighboursAndReportTheInterval() {
        Config json = ConfigFactory.parseString(report().json());
        Config raw =
                json.getConfigList("cells").get(0).getConfigList("contenders").get(0);
        assertThat(raw.getString("name")).isEqualTo("raw");
        assertThat(raw.getDouble("per_second.median")).isEqualTo(1_000_001);
        assertThat(raw.getDouble("rbmq_ratio.median")).isCloseTo(1.5, within(1e-5));
        assertThat(raw.getInt("rbmq_ratio.count")).isEqualTo(3);
    }

    @Test
    void shouldWriteRatesRatiosAndFaultsInMarkdown() throws Exception {
        report().write(folder);
        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("- machine: two processors")
                .contains("## Messages per second published, subscribers: 0")
                .contains("## Messages per second to each subscriber, subscribers: 2")
                .contains("| 2 KiB | 1.00 M (1.50; 1.50 to 1.50) | 1.50 M |")
                .contains("| 2 KiB, 2 subscribers | 891 us; 90 + 40 + 50 % | 9,801 us; 90 + 40 + 50 % |")
                .contains("| 34 B, 1 subscriber, 10,000/s | 50.0 (1.20; 1.20 to 1.20) | 60.0 |")
                .contains("## Growth, topics:")
                .contains("| 64 B, 1 subscriber, 1000 topics | 3.00 M; 9.375 ns |")
                .contains("damaged messages: rbmq 6.")
                .contains("![](throughput-2.svg)");
        assertThat(folder.resolve("goodput-2.svg")).content().contains("<svg");
        for (String plot : List.of("throughput-0.png", "latency-10000.png", "topics-64.svg")) {
            assertThat(folder.resolve(plot)).isNotEmptyFile();
        }
    }

    @Test
    void shouldListMissedTargetsWithMeasuredValues() {
        List<Target> targets = Target.of(results(), "rbmq");
        assertThat(targets)
                .extracting(target -> target.what() + " " + target.bound() + " " + target.isMet())
                .containsExactly(
                        "messages per second against raw 0.9 true",
                        "latency, p99, ms 10.0 true",
                        "latency, p50 against raw 1.1 false");
        assertThat(ConfigFactory.parseString(report().json()).getStringList("targets_missed"))
                .containsExactly("latency, 34 B, 1 subscriber, 10,000/s: latency, p50 against raw: at most 1.10,"
                        + " found 1.20 (1.20 to 1.20)");
    }

    @Test
    void shouldCompareWithNatsEvenWithoutSubscribers() {
        Results found = new Results(List.of(
                new Run("nats", UNHEARD, 0, new Load(1, 64), new Measurement(4e6, 1, 1, 0, Latency.NONE, 0), 0),
                new Run("rbmq", UNHEARD, 0, new Load(1, 1), new Measurement(5e6, 1, 1, 0, Latency.NONE, 0), 0)));
        assertThat(Target.of(found, "rbmq"))
                .extracting(Target::toString)
                .containsExactly("throughput, 64 B, 0 subscribers: messages per second against nats: at least 1.50,"
                        + " found 1.25 (1.25 to 1.25)");
    }

    @Test
    void shouldJudgeRbmqThroughSharedMemoryByItsThroughputAndProcessorTimeOverTcp() {
        Cell cell = Cell.throughput(2048, 4);
        Results found = new Results(List.of(
                new Run("rbmq", cell, 0, new Load(1, 1), new Measurement(1e6, 1, 0.5, 0.5, Latency.NONE, 0), 0),
                new Run("rbmq-shm", cell, 0, new Load(1, 1), new Measurement(3e6, 1, 0.5, 2.1, Latency.NONE, 0), 0)));
        assertThat(Target.of(found, "rbmq"))
                .extracting(Target::toString)
                .containsExactly(
                        "throughput, 2 KiB, 4 subscribers: rbmq-shm: messages per second against rbmq: at least 2.00,"
                                + " found 3.00 (3.00 to 3.00)",
                        "throughput, 2 KiB, 4 subscribers: rbmq-shm: processor time per byte against rbmq:"
                                + " at most 0.60, found 0.60 (0.60 to 0.60)");
    }

    @Test
    void shouldNotJudgeSharedMemoryWithoutTcp() {
        Run shm = new Run("rbmq-shm", CELL, 0, new Load(1, 1), new Measurement(3e6, 1, 1, 1, Latency.NONE, 0), 0);
        assertThat(Target.of(new Results(List.of(shm)), "rbmq-shm")).isEmpty();
    }
}
