package io.rocketbufs.benchmarks.log.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import io.rocketbufs.benchmarks.compare.Latency;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class LoadProgramTest {
    private static final long ENOUGH = 20_000;

    private final MemoryLog log = new MemoryLog();

    private Config run(Workload workload, int clients) throws Exception {
        LoadOptions two = LoadRun.options(workload);
        LoadOptions options = new LoadOptions(
                workload, two.topic(), two.size(), two.batch(), two.fetch(), two.records(), two.recordBatch(), clients);
        return LoadRun.of(log, options, log::operations, ENOUGH);
    }

    @ParameterizedTest
    @EnumSource(Workload.class)
    void shouldReportTheRateOfEveryWorkload(Workload workload) throws Exception {
        Config report = run(workload, 1);
        assertThat(report.getDouble("perSecond")).isPositive();
        assertThat(report.getLong("faults")).isZero();
        boolean isTimed = workload != Workload.PRODUCE && workload != Workload.POLL;
        assertThat(Latency.of(report).at(50) > 0).isEqualTo(isTimed);
    }

    @Test
    void shouldAddUpTheClients() throws Exception {
        Config report = run(Workload.PRODUCE, 3);
        assertThat(report.getLong("faults")).isZero();
        assertThat(report.getLong("sent")).isEqualTo(log.count("orders")).isGreaterThanOrEqualTo(ENOUGH);
    }

    @Test
    void shouldCountRecordsThatTheLogHasLost() throws Exception {
        log.losing(number -> number == 7 || number == 9);
        assertThat(run(Workload.PRODUCE, 1).getLong("faults")).isEqualTo(2);
    }

    @Test
    void shouldCountRecordsThatArriveTwice() throws Exception {
        log.duplicating(number -> number == 7);
        assertThat(run(Workload.END_TO_END, 1).getLong("faults")).isPositive();
    }

    @Test
    void shouldCountRecordsInAnEmptyTopic() throws Exception {
        LongSupplier appends = () -> {
            if (log.count("orders") == 0) {
                log.append("orders", new byte[512]);
            }
            return log.operations();
        };
        Config report = LoadRun.of(log, LoadRun.options(Workload.POLL), appends, ENOUGH);
        assertThat(report.getLong("faults")).isEqualTo(1);
    }

    @Test
    void shouldFillATopicOnlyOnce() throws Exception {
        run(Workload.CONSUME, 1);
        assertThat(log.count("orders")).isEqualTo(LoadRun.RECORDS);
        run(Workload.CONSUME, 1);
        assertThat(log.count("orders")).isEqualTo(LoadRun.RECORDS);
    }

    @Test
    void shouldFailWhenTheTopicDoesNotHaveTheExpectedRecords() throws Exception {
        run(Workload.PRODUCE, 1);
        assertThatThrownBy(() -> run(Workload.CONSUME, 1))
                .hasMessage("topic orders has " + log.count("orders") + " records instead of none");
    }

    @Test
    void shouldFailWhenARecordIsRefused() {
        log.refusing(number -> number == 3);
        LoadOptions options = LoadRun.options(Workload.PRODUCE_ONE_BY_ONE);
        assertThatThrownBy(() -> LoadRun.of(log, options, System::nanoTime, 1))
                .hasMessageContaining("a record was refused: full");
    }

    @Test
    void shouldReadTheOptionsThatItWrites() {
        LoadOptions options = LoadRun.options(Workload.CONSUME);
        assertThat(LoadOptions.of(options.arguments().stream())).isEqualTo(options);
        assertThat(Stream.of(Workload.values()).map(Workload::toString)).contains("produce-one-by-one", "end-to-end");
    }
}
