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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReportTest {
    private static final Cell CELL = new Cell(2048, 2);

    @TempDir
    private Path folder;

    private static Results results() {
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            runs.add(run("raw", i, 1_000_000 + i));
            runs.add(run("rbmq", i, 1_500_000 + i));
            // Nobody is timed where nobody subscribes.
            runs.add(new Run(
                    "raw",
                    new Cell(64, 0),
                    i,
                    new Load(1, 64),
                    new Measurement(5e6, 1, 1, 0, Double.NaN, Double.NaN, 0),
                    0));
            runs.add(new Run(
                    "rbmq",
                    new Cell(64, 0),
                    i,
                    new Load(1, 1),
                    new Measurement(4e6, 1, 1, 0, Double.NaN, Double.NaN, 2),
                    0));
        }
        return new Results(runs);
    }

    private static Run run(String name, int repetition, double rate) {
        return new Run(
                name, CELL, repetition, new Load(1, 64), new Measurement(rate, 0.9, 0.4, 0.5, 100, 900, 0), 0.01);
    }

    private static Report report() {
        return new Report(results(), Map.of("machine", "two processors"), "rbmq");
    }

    @Test
    void shouldWriteEveryMeasurementAsALineOfItsTable() throws Exception {
        report().write(folder, List.of());
        assertThat(Files.readAllLines(folder.resolve("runs.csv")))
                .hasSize(13)
                .contains("2048,2,1,raw,1,64,1000001.0,0.900,0.400,0.500,100.0,900.0,0,0.010")
                .contains("64,0,2,rbmq,1,1,4000000.0,1.000,1.000,0.000,,,2,0.000");
    }

    @Test
    void shouldCompareNeighboursAndGiveTheInterval() {
        Config json = ConfigFactory.parseString(report().json());
        Config raw =
                json.getConfigList("cells").get(0).getConfigList("contenders").get(0);
        assertThat(raw.getString("name")).isEqualTo("raw");
        assertThat(raw.getDouble("per_second.median")).isEqualTo(1_000_001);
        assertThat(raw.getDouble("rbmq_ratio.median")).isCloseTo(1.5, within(1e-5));
        assertThat(raw.getInt("rbmq_ratio.count")).isEqualTo(3);
    }

    @Test
    void shouldShowRatesRatiosAndFaultsToPeople() throws Exception {
        report().write(folder, new Plots(results()).write(folder));
        assertThat(Files.readString(folder.resolve("report.md")))
                .contains("- machine: two processors")
                .contains("| 2 KiB | 1.00 M (1.50; 1.50 to 1.50) | 1.50 M |")
                .contains("| 2 KiB, 2 subscribers | 900 us; 90 + 40 + 50 % | 900 us; 90 + 40 + 50 % |")
                .contains("damaged: rbmq 6.")
                .contains("![](throughput-2.svg)");
        assertThat(folder.resolve("goodput-2.svg")).content().contains("<svg");
        assertThat(folder.resolve("throughput-0.png")).isNotEmptyFile();
    }
}
