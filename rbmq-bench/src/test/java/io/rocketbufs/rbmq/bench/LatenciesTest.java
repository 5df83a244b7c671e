package io.rocketbufs.rbmq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LatenciesTest {
    @TempDir
    Path folder;

    @Test
    void shouldSumTheLatenciesOfSeveralProcesses() {
        Histogram sum = Latencies.sum(List.of(
                Latencies.decode(Latencies.encode(histogram(1000, 2000))),
                Latencies.decode(Latencies.encode(histogram(3_000_000)))));
        assertThat(sum.getTotalCount()).isEqualTo(3);
        Map<String, Object> percentiles = Latencies.percentiles(sum);
        assertThat(percentiles.keySet()).containsExactly("p50", "p90", "p99", "p999", "max");
        assertThat((Double) percentiles.get("p50")).isBetween(2.0, 2.1);
        assertThat((Double) percentiles.get("max")).isBetween(3000.0, 3010.0);
    }

    @Test
    void shouldHaveNoPercentilesWhenNothingWasTimed() {
        assertThat(Latencies.sum(List.of(histogram()))).isNull();
        assertThat(Latencies.percentiles(null))
                .containsOnlyKeys("p50", "p90", "p99", "p999", "max")
                .allSatisfy((name, value) -> assertThat(value).isNull());
    }

    @Test
    void shouldWriteALogThatHdrHistogramCanRead() throws IOException {
        Path file = folder.resolve("log");
        Latencies.write(histogram(5000, 6000), file, 10_000, 12_000);
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
            EncodableHistogram interval = reader.nextIntervalHistogram();
            assertThat(((Histogram) interval).getTotalCount()).isEqualTo(2);
            assertThat(interval.getEndTimeStamp() - interval.getStartTimeStamp())
                    .isEqualTo(2000);
        }
    }

    private static Histogram histogram(long... values) {
        Histogram histogram = new Histogram(60_000_000_000L, 3);
        for (long value : values) {
            histogram.recordValue(value);
        }
        return histogram;
    }
}
