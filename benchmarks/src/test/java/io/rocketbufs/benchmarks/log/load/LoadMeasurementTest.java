package io.rocketbufs.benchmarks.log.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.benchmarks.compare.Latency;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class LoadMeasurementTest {
    private static final long ENOUGH = 20_000;

    private final MemoryLog log = new MemoryLog();

    private Config run(Workload workload, int clients) throws Exception {
        return LoadRun.of(log, options(workload, 1, clients, 0), log::operations, ENOUGH);
    }

    private static LoadOptions options(Workload workload, int partitions, int clients, int rate) {
        return new LoadOptions(workload, "orders", partitions, 512, 0, 1024, LoadRun.RECORDS, 0, clients, rate);
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
        assertThat(report.getLong("sent")).isEqualTo(log.count("orders", 1)).isGreaterThanOrEqualTo(ENOUGH);
    }

    @Test
    void shouldCountOnlyItsOwnRecordsInATopicThatWasUsedBefore() throws Exception {
        run(Workload.PRODUCE, 1);
        assertThat(run(Workload.PRODUCE, 1).getLong("faults")).isZero();
        assertThat(run(Workload.END_TO_END, 1).getLong("faults")).isZero();
        assertThat(run(Workload.POLL, 1).getLong("faults")).isZero();
    }

    @Test
    void shouldProduceToAllPartitionsInTurn() throws Exception {
        Config report = LoadRun.of(log, options(Workload.PRODUCE, 3, 1, 0), log::operations, ENOUGH);
        assertThat(report.getLong("faults")).isZero();
        assertThat(log.partitionCounts("orders")).hasSize(3).allMatch(count -> count >= ENOUGH / 3);
    }

    @Test
    void shouldNotExceedAFixedRate() throws Exception {
        long beginNs = System.nanoTime();
        Config report = LoadRun.of(log, options(Workload.PRODUCE, 1, 1, 1000), log::operations, 200);
        double seconds = (System.nanoTime() - beginNs) / 1e9;
        assertThat(report.getLong("sent")).isBetween(200L, (long) (1000 * seconds) + 1);
        assertThat(report.getLong("faults")).isZero();
    }

    @Test
    void shouldFreeTheSpaceOfATopicThatProducersHaveFilled() throws Exception {
        run(Workload.PRODUCE, 1);
        assertThat(log.released()).containsExactly("orders");
    }

    @Test
    void shouldKeepATopicThatConsumersReadAgain() throws Exception {
        run(Workload.CONSUME, 1);
        assertThat(log.released()).isEmpty();
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
            if (log.count("orders", 1) == 0) {
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
        assertThat(log.count("orders", 1)).isEqualTo(LoadRun.RECORDS);
        run(Workload.CONSUME, 1);
        assertThat(log.count("orders", 1)).isEqualTo(LoadRun.RECORDS);
    }

    @Test
    void shouldFailWhenTheTopicDoesNotHaveTheExpectedRecords() throws Exception {
        run(Workload.PRODUCE, 1);
        assertThatThrownBy(() -> run(Workload.CONSUME, 1))
                .hasMessage("topic orders has " + log.count("orders", 1) + " records instead of none");
    }

    @Test
    void shouldFailWhenARecordIsRefused() {
        log.refusing(number -> number == 3);
        LoadOptions options = LoadRun.options(Workload.PRODUCE_ONE_BY_ONE);
        LongSupplier afterTheRefusal = () -> {
            await().until(() -> log.operations() == 4);
            return System.nanoTime();
        };
        assertThatThrownBy(() -> LoadRun.of(log, options, afterTheRefusal, 1))
                .hasMessageContaining("a record was refused: full");
    }

    @Test
    void shouldReadTheOptionsThatItWrites() {
        LoadOptions options = LoadRun.options(Workload.CONSUME);
        assertThat(LoadOptions.of(options.line())).isEqualTo(options);
        assertThat(Stream.of(Workload.values()).map(Workload::toString)).contains("produce-one-by-one", "end-to-end");
    }
}
