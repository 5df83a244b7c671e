package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.RunningLogBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of all measurements of {@code rocketlog bench}, each with its own broker. */
@Tag("once")
@Timeout(600)
final class LogBenchSystemTest {
    @TempDir
    Path folder;

    private static List<String> arguments(String kind, String more, int ms) {
        List<String> all =
                new ArrayList<>(List.of("bench", kind, "--json", "--warmup=100ms", "--duration=" + ms + "ms"));
        all.addAll(List.of(more.split(" ")));
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "produce, --mode=shared --producers=2 --set=rocketbufs.transport=tcp, acked_per_s",
        "consume, --consumers=2 --partitions=3 --size=1000 --set=rocketbufs.transport=shm, consumed_per_s",
        "poll, --partitions=2 --set=rocketbufs.transport=shm, polls_per_s",
        "endtoend, --rate=1000 --partitions=2 --consumers=2 --set=rocketbufs.transport=tcp, consumed_per_s",
        "fanout, --consumers=3 --size=77 --set=rocketbufs.transport=shm, consumed_per_s"
    })
    void shouldFindNoFaultAndReadWithoutTheBroker(String kind, String more, String rate) {
        RunningLogBroker.assume("shm", folder);
        boolean isMeasured = false;
        for (int ms = 300; !isMeasured; ms *= 4) { // on a busy machine, possibly no record arrives within a short time
            List<String> arguments = arguments(kind, more, ms);
            arguments.add("--one-process");
            RecordedStreams recorded = new RecordedStreams("rocketlog");
            assertThat(Main.run(arguments.toArray(String[]::new), recorded.withoutInput()))
                    .as(recorded::err)
                    .isZero();
            Config result = Json.parse(recorded.out());
            assertThat(result.getString("bench")).isEqualTo(kind);
            assertThat(result.getLong("broker_calls.read")).isZero();
            assertThat(result.getLong("broker_calls.poll")).isZero();
            isMeasured = result.getDouble(rate) > 0 && !result.getIsNull("latency_us.p50");
            assertThat(result.getDouble("cpu_s.producers")).isNotNegative();
        }
    }

    @Test
    void shouldReportTheProcessorTimeOfEachRole() throws Exception {
        boolean isMeasured = false;
        for (int ms = 500; !isMeasured; ms *= 4) {
            String[] arguments =
                    arguments("endtoend", "--set=rocketbufs.transport=tcp", ms).toArray(String[]::new);
            Config result = Json.parse(new String(CommandProcess.run(folder, arguments), UTF_8));
            isMeasured = result.getDouble("cpu_s.broker") > 0
                    && result.getDouble("cpu_s.producers") > 0
                    && result.getDouble("cpu_s.consumers") > 0
                    && result.getLong("broker_calls.produce") > 0;
        }
    }

    @Test
    void shouldEndWithItsBroker() throws Exception {
        try (CommandProcess bench = CommandProcess.start(folder, "bench", "fanout", "--duration=60s")) {
            bench.awaitErr("measuring for 60.0 s, after a warm-up of 2.0 s");
            ProcessHandle broker = bench.process().descendants().findAny().orElseThrow();
            broker.destroyForcibly();
            assertThat(bench.exitCode()).as(bench::err).isEqualTo(69);
            await().until(() -> !broker.isAlive());
        }
    }

    @ParameterizedTest
    @CsvSource({"poll, openedSegments", "fanout, appendedBatches"})
    void shouldEndWithAnotherBrokerAndNameTheTopicThatRemains(String kind, String begun) throws Exception {
        String transport = "rocketbufs.transport=tcp";
        try (BrokerProcess broker = BrokerProcess.start(folder.resolve("log"), 0, transport)) {
            String address = "127.0.0.1:" + broker.port();
            try (CommandProcess bench = CommandProcess.start(
                    folder, "bench", kind, "--duration=3600s", "--set", transport, "--broker", address)) {
                await().until(() -> Json.parse(broker.status()).getLong(begun) > 0);
                broker.kill();
                assertThat(bench.exitCode()).as(bench::err).isEqualTo(69);
                assertThat(bench.err()).containsPattern("topic bench-[0-9a-f-]+ remains: ");
                if (kind.equals("fanout")) { // all clients were connected when the broker was killed
                    assertThat(bench.err())
                            .containsPattern("a consumer of topic bench-[0-9a-f-]+ lost its connection to the broker:");
                }
            }
        }
    }
}
