package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import java.util.List;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LogDemoReportTest {
    private static LogDemoReport report(LoadFaults faults, long... latenciesNs) {
        return report(faults, new LoadBatches(ProduceMode.PRIVATE, 800, 0), latenciesNs);
    }

    private static LogDemoReport report(LoadFaults faults, LoadBatches batches, long... latenciesNs) {
        LoadResult.Counts counts = new LoadResult.Counts(
                2_000_000_000, 2_500_000, 2_469_000, 2_400_000, 70, new LoadResult.Seconds(0.5, 1, 1));
        Histogram latencies = LoadResult.histogram();
        LongStream.of(latenciesNs).forEach(latencies::recordValue);
        LoadBroker.Calls calls = new LoadBroker.Calls(1234, 3, 0);
        return new LogDemoReport(
                new LoadResult(
                        LogLoad.endToEnd("throughput", 2, 0), counts, calls, faults, LoadResult.histogram(), batches),
                new LoadResult(LogLoad.endToEnd("latency", 1, 10_000), counts, calls, faults, latencies, batches),
                "tcp",
                TopicStorage.DISK,
                Acks.LEADER);
    }

    @Test
    void shouldShowRoundedNumbersWhatTheyMeanAndTheNextCommands() {
        List<String> lines = report(
                        LoadFaults.NONE,
                        LongStream.rangeClosed(1, 100).map(i -> i * 1000).toArray())
                .asLines("bin/rocketlog");
        assertThat(lines)
                .containsExactly(
                        "throughput  1,200,000 records/s acknowledged, 1,200,000 consumed, of 256 bytes each: 310 MB/s",
                        "latency     p50 50 us  p99 99 us, from producer to consumer, at 10,000 records/s",
                        "broker      its code ran 1,234 times to append batches, 3 times to open and close segments for"
                                + " consumers, and 0 times for reading",
                        "mode        private; 0 of 1,600 batches were written directly into logs",
                        "Every record arrived exactly once, in order and intact.",
                        "",
                        "Next, run each of these in its own terminal:",
                        "  bin/rocketlog broker",
                        "  bin/rocketlog topics create prices && bin/rocketlog consume prices",
                        "  bin/rocketlog produce prices hello");
    }

    @Test
    void shouldReportTheFaultsOfBothMeasurements() {
        LogDemoReport report = report(new LoadFaults(1, 2, 3, 4));
        assertThat(report.isFaultless()).isFalse();
        assertThat(report.asLines("rocketlog"))
                .contains("latency     no record arrived")
                .anyMatch(line -> line.endsWith("2 lost, 4 duplicated, 6 reordered, 8 corrupted"));
        assertThat(Json.of(report.asMap()))
                .contains("\"lost\":2", "\"duplicated\":4", "\"reordered\":6", "\"corrupted\":8")
                .contains("\"latency_us\":{\"p50\":null")
                .contains("\"broker_calls\":{\"produce\":1234,\"open\":3,\"read\":0,\"poll\":0}")
                .contains("\"mode\":\"private\",\"requested_mode\":\"private\",\"batches\":1600,\"direct_batches\":0,")
                .contains("\"storage\":\"disk\",\"transport\":\"tcp\",\"acks\":\"leader\"");
    }

    @Test
    void shouldReportTheModeThatTheProducersUsed() {
        LogDemoReport fallenBack = report(LoadFaults.NONE, new LoadBatches(ProduceMode.EXCLUSIVE, 5, 0));
        assertThat(fallenBack.isFaultless()).isTrue();
        assertThat(fallenBack.isInRequestedMode()).isFalse();
        assertThat(Json.of(fallenBack.asMap()))
                .contains("\"mode\":\"private\",\"requested_mode\":\"exclusive\",\"batches\":10,\"direct_batches\":0,");
        assertThat(fallenBack.asLines("rocketlog"))
                .contains("mode        private, not exclusive: the broker cannot provide it; 0 of 10 batches were"
                        + " written directly into logs");
        LogDemoReport direct = report(LoadFaults.NONE, new LoadBatches(ProduceMode.SHARED, 5, 3));
        assertThat(direct.isInRequestedMode()).isTrue();
        assertThat(Json.of(direct.asMap()))
                .contains("\"mode\":\"shared\",\"requested_mode\":\"shared\",\"batches\":10,\"direct_batches\":6,");
        assertThat(report(LoadFaults.NONE, new LoadBatches(ProduceMode.SHARED, 0, 0))
                        .isInRequestedMode())
                .isTrue();
    }
}
