package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.CpuTimes;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class DemoReportTest {
    private static BenchResult result(long rate, long lost, Histogram latencies) {
        return new BenchResult(
                new BenchLoad(2, 2, 1, 256, rate, rate > 0, 1),
                new BenchResult.Rates(1_233_845, List.of(1_233_845.0, 1_233_000.0)),
                new BenchResult.Faults(lost, 0, 0, 0),
                latencies,
                new CpuTimes(1, 1, 1),
                new BenchResult.Transports("tcp", "tcp"),
                new BenchResult.Span(0, 1000));
    }

    private static Histogram latencies() {
        Histogram latencies = new Histogram(3);
        latencies.recordValueWithCount(65_300, 97);
        latencies.recordValueWithCount(1_530_000, 3);
        return latencies;
    }

    @Test
    void shouldShowRoundedNumbersWhatTheyMeanAndTheNextCommands() {
        DemoReport report = new DemoReport(result(0, 0, null), result(10_000, 0, latencies()));
        assertThat(report.asLines("bin/rbmq"))
                .containsExactly(
                        "throughput  1,200,000 messages/s published, 2,500,000 delivered, of 256 bytes each: 630 MB/s",
                        "latency     p50 65 us  p99 1.5 ms, at 10,000 messages/s",
                        "            Both are measured end to end: publisher -> broker -> subscriber.",
                        "Every message arrived at every subscriber exactly once, in order and intact.",
                        "",
                        "Next, run each of these in its own terminal:",
                        "  bin/rbmq broker",
                        "  bin/rbmq sub prices",
                        "  bin/rbmq pub prices hello");
    }

    @Test
    void shouldReportTheFaultsOfBothMeasurements() {
        DemoReport report = new DemoReport(result(0, 2, null), result(10_000, 3, null));
        assertThat(report.isFaultless()).isFalse();
        assertThat(report.asMap()).containsEntry("lost", 5L);
        assertThat(report.asLines("rbmq"))
                .contains("latency     no message arrived")
                .anyMatch(line -> line.endsWith("5 lost, 0 duplicated, 0 reordered, 0 corrupted"));
    }
}
