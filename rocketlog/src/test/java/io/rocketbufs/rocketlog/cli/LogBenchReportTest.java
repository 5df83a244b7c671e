package io.rocketbufs.rocketlog.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class LogBenchReportTest {
    private static LogBenchReport report(LogLoad.Kind kind, LoadBroker.Calls calls, LoadFaults faults) {
        return report(kind, calls, faults, new LoadBatches(ProduceMode.PRIVATE, 1200, 0));
    }

    private static LogBenchReport report(
            LogLoad.Kind kind, LoadBroker.Calls calls, LoadFaults faults, LoadBatches batches) {
        LogLoad load = new LogLoad(kind, "t", 4, 2, kind == LogLoad.Kind.PRODUCE ? 0 : 3, 100, 0, 0);
        LoadResult.Counts counts = new LoadResult.Counts(
                2_000_000_000,
                3_000_000,
                2_800_000,
                6_000_000,
                1000,
                new LoadResult.Seconds(calls == null ? Double.NaN : 1.5, 2, 2.5));
        Histogram latencies = LoadResult.histogram();
        latencies.recordValue(5000);
        return new LogBenchReport(
                new LoadResult(load, counts, calls, faults, latencies, batches),
                "shm",
                LogClientSettings.from(ConfigFactory.load()).producer());
    }

    @Test
    void shouldContainEverythingThatScriptsRead() {
        LogBenchReport report = report(LogLoad.Kind.FANOUT, new LoadBroker.Calls(7, 3, 0), new LoadFaults(1, 2, 3, 4));
        assertThat(report.isFaultless()).isFalse();
        assertThat(Json.of(report.asMap()))
                .isEqualTo("{\"bench\":\"fanout\",\"produced_per_s\":1500000,\"acked_per_s\":1400000,"
                        + "\"consumed_per_s\":3000000,\"polls_per_s\":500,\"mb_s\":300,"
                        + "\"latency_us\":{\"p50\":5.003,\"p90\":5.003,\"p99\":5.003,\"p999\":5.003,\"max\":5.003},"
                        + "\"lost\":1,\"duplicated\":2,\"reordered\":3,\"corrupted\":4,"
                        + "\"cpu_s\":{\"broker\":1.5,\"producers\":2,\"consumers\":2.5},"
                        + "\"broker_calls\":{\"produce\":7,\"open\":3,\"read\":0,\"poll\":0},\"mode\":\"private\","
                        + "\"requested_mode\":\"private\",\"batches\":1200,\"direct_batches\":0,"
                        + "\"transport\":\"shm\",\"size\":100,\"batch\":262144,\"acks\":\"leader\",\"rate\":null,"
                        + "\"partitions\":4,\"producers\":2,\"consumers\":3}");
        assertThat(report.asLines())
                .containsExactly(
                        "produced    1,500,000 records/s, 1,400,000 acknowledged",
                        "mode        private; 0 of 1,200 batches were written directly into logs",
                        "consumed    3,000,000 records/s with 500 polls/s",
                        "throughput  300 MB/s, in records of 100 bytes each",
                        "latency     p50 5.0 us  p99 5.0 us",
                        "processor   broker 1.50 s, producers 2.00 s, consumers 2.50 s",
                        "broker      its code ran 7 times to append batches, 3 times to open and close segments for"
                                + " consumers, and 0 times for reading and polling",
                        "There were faults: 1 lost, 2 duplicated, 3 reordered, 4 corrupted");
    }

    @Test
    void shouldSayWhatIsNotKnownAboutAnotherBroker() {
        LogBenchReport report = report(LogLoad.Kind.PRODUCE, null, LoadFaults.NONE);
        assertThat(report.isFaultless()).isTrue();
        assertThat(Json.of(report.asMap()))
                .contains("\"mb_s\":140,", "\"cpu_s\":{\"broker\":null,\"producers\":2,")
                .contains("\"broker_calls\":{\"produce\":null,\"open\":null,\"read\":null,\"poll\":null}");
        assertThat(report.asLines())
                .contains("processor   broker unknown, producers 2.00 s, consumers 2.50 s")
                .noneMatch(line -> line.startsWith("consumed") || line.startsWith("broker"))
                .endsWith("No record was lost, duplicated, reordered or corrupted.");
    }

    @Test
    void shouldReportThatTheProducersDidNotUseTheRequestedMode() {
        LogBenchReport report =
                report(LogLoad.Kind.PRODUCE, null, LoadFaults.NONE, new LoadBatches(ProduceMode.EXCLUSIVE, 1200, 0));
        assertThat(report.isInRequestedMode()).isFalse();
        assertThat(Json.of(report.asMap())).contains("\"mode\":\"private\",\"requested_mode\":\"exclusive\",");
        assertThat(report.asLines()).anyMatch(line -> line.startsWith("mode        private, not exclusive: "));
    }
}
