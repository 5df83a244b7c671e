package io.rocketbufs.rbmq.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.cli.ThreadProgram;
import io.rocketbufs.rbmq.TransportPair;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the loads and reports of the benchmarks. The broker and the clients are threads of the test's process,
 * because starting processes would take much longer than a measurement; {@code BenchSystemTest} covers the processes.
 */
@Tag("once")
@Timeout(600)
final class BenchCommandTest {
    /** The system property that the broker's option --log-level sets for the whole process. */
    private static final String LEVEL = "log.level";

    private final String level = System.getProperty(LEVEL);

    @TempDir
    Path folder;

    @AfterEach
    void restoreLevel() {
        if (level == null) {
            System.clearProperty(LEVEL);
        } else {
            System.setProperty(LEVEL, level);
        }
    }

    @Test
    void shouldMeasureThroughputOverMoreTopicsThanPublishers() {
        measureShortly("throughput --pubs 2 --subs 2 --topics 101 --size 100");
    }

    @ParameterizedTest
    @EnumSource(names = {"RDMA_TCP", "SHM_RDMA"})
    void shouldMeasureThroughputOverAPairOfTransports(TransportPair pair) {
        TransportPair.assumeRdma();
        Config result = measureShortly("throughput --pub-transport " + pair.publisher() + " --sub-transport "
                + pair.subscriber() + " --set rocketbufs.rdma.provider=tcp --size 100");
        assertThat(result.getString("transport.publisher")).isEqualTo(pair.publisher());
        assertThat(result.getString("transport.subscriber")).isEqualTo(pair.subscriber());
    }

    @Test
    void shouldMeasureThroughputWithoutSubscribers() {
        Config result = measure(
                "throughput --pubs 1 --subs 0 --size 8 --warmup 100ms --duration 500ms",
                each -> each.getDouble("published_per_s") > 0);
        assertThat(result.getDouble("delivered_per_s")).isZero();
    }

    /** With a rate, each call must publish exactly the messages that are due. */
    @ParameterizedTest
    @ValueSource(strings = {"", " --rate 2000"})
    void shouldPublishAndCheckEveryMessageOfBatches(String rate) {
        measure(
                "throughput --batch 100 --topics 3 --size 16 --warmup 100ms --duration 1s" + rate,
                result -> result.getDouble("delivered_per_s") > 0
                        && (rate.isEmpty() || isBetween(result.getDouble("published_per_s"), 1000, 2200)));
    }

    @Test
    void shouldMeasureLatencyAndKeepTheRate() throws Exception {
        Path hdr = folder.resolve("hdr");
        Config result = measure(
                "latency --rate 1000 --size 34 --warmup 100ms --duration 1s --hdr " + hdr,
                each -> isBetween(each.getDouble("achieved_rate"), 500, 1500));
        assertThat(result.getDouble("latency_us.p50")).isPositive();
        assertThat(result.getDouble("latency_us.max")).isGreaterThanOrEqualTo(result.getDouble("latency_us.p50"));
        assertThat(Files.readAllLines(hdr)).anyMatch(line -> line.contains("Interval_Compressed_Histogram"));
    }

    private static Config measureShortly(String arguments) {
        return measure(
                arguments + " --warmup 100ms --duration 500ms", result -> result.getDouble("delivered_per_s") > 0);
    }

    private static boolean isBetween(double value, double least, double most) {
        return value >= least && value <= most;
    }

    /** Returns the report of a run that was not disturbed by other programs on the machine. No run may have faults. */
    private static Config measure(String arguments, Predicate<Config> isUndisturbed) {
        return await().until(() -> measure(arguments), isUndisturbed);
    }

    /** Runs a benchmark with arguments that are separated by spaces. Returns its report, which must have no faults. */
    private static Config measure(String arguments) {
        RecordedStreams recorded = new RecordedStreams("rbmq");
        Programs threads = ThreadProgram.of("rbmq", Main::run);
        int code = BenchCommand.create(recorded.withoutInput(), new BenchPrograms(threads, threads))
                .execute((arguments + " --json").split(" "));
        assertThat(code).as(recorded.err()).isZero();
        Config result = ConfigFactory.parseString(
                recorded.out(), ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
        for (String fault : List.of("lost", "duplicated", "reordered", "corrupted")) {
            assertThat(result.getLong(fault)).as(fault).isZero();
        }
        return result;
    }
}
