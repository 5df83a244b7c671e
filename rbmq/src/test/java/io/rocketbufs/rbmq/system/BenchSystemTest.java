package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigParseOptions;
import com.typesafe.config.ConfigSyntax;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the demo and the benchmarks, run as by a script. They check the reports, and that no process remains. */
@Tag("once")
@Timeout(600)
final class BenchSystemTest {
    private static final int RATE = 2000;

    @Test
    @Tag("slow") // bin/lib/smoke.sh runs the same demo over each transport
    void shouldLoseNothingInTheDemo() throws Exception {
        Config result = result("demo", "--warmup", "100ms", "--duration", "500ms", "--json");
        assertThat(result.getInt("pubs")).isEqualTo(2);
        assertThat(result.getInt("subs")).isEqualTo(2);
        assertThat(result.getDouble("delivered_per_s")).isPositive();
        assertThat(result.getDoubleList("per_subscriber_per_s")).hasSize(2);
        assertThat(result.getDouble("latency_us.p50")).isPositive();
    }

    @Test
    void shouldPrintAHumanReadableSummary() throws Exception {
        try (RbmqProcess demo = RbmqProcess.start("demo", "--duration", "1s", "--one-process")) {
            assertThat(demo.exitCode()).as(demo.errText()).isZero();
            assertThat(demo.outText())
                    .contains(" messages/s published", " p50 ", "Every message arrived")
                    .endsWith("pub prices hello\n");
            assertThat(demo.errText())
                    .contains("warming up for at most 10.0 s", "measuring for 1.0 s", "measuring for 0.5 s");
        }
    }

    @Test
    void shouldMeasureThroughput() throws Exception {
        Config result = result(
                "bench",
                "throughput",
                "--pubs",
                "3",
                "--subs",
                "2",
                "--topics",
                "2",
                "--size",
                "100",
                "--warmup",
                "100ms",
                "--duration",
                "500ms",
                "--json");
        assertThat(result.getDouble("delivered_per_s")).isPositive();
        assertThat(result.getDouble("goodput_mb_s"))
                .isCloseTo(result.getDouble("delivered_per_s") * 100 / 1e6, Percentage.withPercentage(1));
        assertThat(result.getDouble("cpu_s.broker")).isPositive();
        assertThat(result.getDouble("cpu_s.publishers")).isPositive();
        assertThat(result.getDouble("cpu_s.subscribers")).isPositive();
    }

    @Test
    void shouldShareProcessesAmongManyPublishers() throws Exception {
        Config result = result(
                "bench",
                "throughput",
                "--pubs",
                "9",
                "--subs",
                "1",
                "--size",
                "64",
                "--warmup",
                "100ms",
                "--duration",
                "500ms",
                "--json");
        assertThat(result.getInt("pubs")).isEqualTo(9);
        assertThat(result.getDouble("delivered_per_s")).isPositive();
    }

    @Test
    void shouldMeasureTheSubscribersProcessorTime() throws Exception {
        Config result = result(
                each -> each.getDouble("achieved_rate") > 0.5 * RATE && each.getDouble("achieved_rate") < 1.5 * RATE,
                "bench",
                "subcpu",
                "--rate",
                "" + RATE,
                "--size",
                "100",
                "--warmup",
                "100ms",
                "--duration",
                "1s",
                "--json");
        assertThat(result.getDouble("cpu_s.subscribers")).isNotNegative();
    }

    @Test
    void shouldMeasureAnExistingBroker() throws Exception {
        try (LocalBroker broker = LocalBroker.start()) {
            Config result = result(
                    "bench",
                    "throughput",
                    "--size",
                    "100",
                    "--warmup",
                    "100ms",
                    "--duration",
                    "500ms",
                    "--broker",
                    broker.address(),
                    "--json");
            assertThat(result.getDouble("delivered_per_s")).isPositive();
            assertThat(result.getIsNull("cpu_s.broker")).isTrue();
            assertThat(broker.running().publisher().isConnected()).isTrue();
        }
    }

    @Test
    void shouldLeaveNoProcessBehindWhenItIsTerminated() throws Exception {
        try (RbmqProcess bench = benchOfAMinute()) {
            bench.awaitErr("measuring");
            List<ProcessHandle> children = children(bench);
            assertThat(children).hasSize(3);
            bench.signal("TERM");
            assertThat(bench.exitCode()).as(bench::errText).isEqualTo(143);
            assertThat(bench.errText()).doesNotContain("\tat ");
            assertThat(children).noneMatch(ProcessHandle::isAlive);
        }
    }

    @Test
    void shouldLeaveNoProcessBehindWhenItIsKilled() throws Exception {
        try (RbmqProcess bench = benchOfAMinute()) {
            bench.awaitErr("measuring");
            List<ProcessHandle> children = children(bench);
            bench.signal("KILL");
            await().until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @Test
    void shouldFailAndLeaveNoProcessBehindWhenOneOfItsProcessesDies() throws Exception {
        try (RbmqProcess bench = benchOfAMinute()) {
            bench.awaitErr("measuring");
            List<ProcessHandle> children = children(bench);
            children.get(children.size() - 1).destroyForcibly();
            assertThat(bench.exitCode()).isEqualTo(1);
            assertThat(bench.errText()).contains("ended with exit code");
            assertThat(children).noneMatch(ProcessHandle::isAlive);
        }
    }

    private static RbmqProcess benchOfAMinute() {
        return RbmqProcess.start("bench", "throughput", "--size", "100", "--warmup", "100ms", "--duration", "60s");
    }

    private static List<ProcessHandle> children(RbmqProcess process) {
        return ProcessHandle.of(process.pid()).map(ProcessHandle::children).stream()
                .flatMap(children -> children)
                .toList();
    }

    private static Config result(String... arguments) {
        return result(each -> each.getDouble("delivered_per_s") > 0, arguments);
    }

    /** Returns the report of a run that was not disturbed by other programs on the machine. */
    private static Config result(Predicate<Config> isUndisturbed, String... arguments) {
        return await().atMost(Duration.ofSeconds(500)).until(() -> reported(arguments), isUndisturbed);
    }

    private static Config reported(String... arguments) throws InterruptedException {
        try (RbmqProcess process = RbmqProcess.start(arguments)) {
            assertThat(process.exitCode()).as(process.errText()).isZero();
            Config result = ConfigFactory.parseString(
                    process.lastLine(), ConfigParseOptions.defaults().setSyntax(ConfigSyntax.JSON));
            assertThat(result.root().keySet())
                    .containsExactlyInAnyOrder(
                            "published_per_s",
                            "delivered_per_s",
                            "per_subscriber_per_s",
                            "goodput_mb_s",
                            "lost",
                            "duplicated",
                            "reordered",
                            "corrupted",
                            "latency_us",
                            "achieved_rate",
                            "cpu_s",
                            "transport",
                            "size",
                            "subs",
                            "pubs");
            for (String fault : List.of("lost", "duplicated", "reordered", "corrupted")) {
                assertThat(result.getLong(fault)).as(fault).isZero();
            }
            return result;
        }
    }
}
