package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.RunningLogBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of {@code rocketlog demo} in a separate process, which starts its own broker. */
@Tag("once")
@Timeout(600)
final class LogDemoSystemTest {
    @TempDir
    Path folder;

    private CommandProcess start(String... arguments) throws Exception {
        Path logs = Files.createDirectories(folder.resolve("logs"));
        return CommandProcess.start(
                folder, List.of(), Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + logs), arguments);
    }

    private void assertLogsAreDeleted() throws Exception {
        try (Stream<Path> logs = Files.list(folder.resolve("logs"))) {
            assertThat(logs.filter(each -> each.getFileName().toString().startsWith("rocketlog-load")))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    // These combinations cover each transport, mode and storage. In addition, bin/lib/smoke.sh runs the demo with the
    // defaults.
    @CsvSource({"rdma, private, disk", "shm, exclusive, disk", "tcp, shared, disk", "shm, private, memory"})
    void shouldLoseNothingAndReadWithoutTheBroker(String transport, String mode, String storage) throws Exception {
        run(transport, "tcp", mode, storage);
    }

    @ParameterizedTest
    @CsvSource({
        "rdma, private, disk",
        "tcp, exclusive, disk",
        "shm, exclusive, disk",
        "rdma, exclusive, disk",
        "tcp, shared, disk",
        "shm, shared, disk",
        "rdma, shared, disk",
        "tcp, private, memory",
        "shm, private, memory",
        "rdma, private, memory"
    })
    @Tag("slow")
    void shouldLoseNothingAndReadWithoutTheBrokerInEveryMode(String transport, String mode, String storage)
            throws Exception {
        run(transport, "tcp", mode, storage);
    }

    @ParameterizedTest
    @ValueSource(strings = {"private", "exclusive", "shared"})
    @Tag("slow")
    void shouldLoseNothingOverTheSocketsProvider(String mode) throws Exception {
        run("rdma", "sockets", mode, "disk");
    }

    private void run(String transport, String provider, String mode, String storage) throws Exception {
        RunningLogBroker.assume(transport, folder);
        boolean isMeasured = false;
        for (int ms = 500; !isMeasured; ms *= 4) { // on a busy machine, possibly no record arrives within a short time
            isMeasured = run(transport, provider, mode, storage, ms);
        }
    }

    /** Returns false if no records were acknowledged or consumed during the measurement. */
    private boolean run(String transport, String provider, String mode, String storage, int ms) throws Exception {
        boolean isMeasured;
        try (CommandProcess demo = start(
                "demo",
                "--json",
                "--duration=" + ms + "ms",
                "--warmup=200ms",
                "--mode=" + mode,
                "--storage=" + storage,
                "--set=rocketbufs.transport=" + transport,
                "--set=rocketbufs.rdma.provider=" + provider)) {
            assertThat(demo.exitCode()).as(demo::err).isZero();
            List<String> lines = new String(demo.out(), UTF_8).lines().toList();
            Config result = Json.parse(lines.get(lines.size() - 1));
            for (String fault : List.of("lost", "duplicated", "reordered", "corrupted")) {
                assertThat(result.getLong(fault)).as(fault).isZero();
            }
            isMeasured = result.getDouble("acked_per_s") > 0
                    && result.getDouble("consumed_per_s") > 0
                    && result.getDouble("latency_us.p50") > 0
                    && result.getLong("broker_calls.produce") > 0;
            assertThat(result.getLong("broker_calls.read")).isZero();
            assertThat(result.getLong("broker_calls.poll")).isZero();
            assertThat(result.getString("transport")).isEqualTo(transport);
            assertThat(result.getString("mode")).isEqualTo(mode);
            assertThat(result.getString("storage")).isEqualTo(storage);
        }
        assertLogsAreDeleted();
        return isMeasured;
    }

    @Test
    void shouldFailAndCleanUpWhenItsBrokerIsKilled() throws Exception {
        try (CommandProcess demo = start("demo", "--duration=60s", "--warmup=100ms")) {
            demo.awaitErr("measuring the throughput");
            ProcessHandle broker = demo.process().descendants().findAny().orElseThrow();
            broker.destroyForcibly();
            assertThat(demo.exitCode()).as(demo::err).isEqualTo(69);
        }
        assertLogsAreDeleted();
    }

    @Test
    void shouldCleanUpAfterCtrlC() throws Exception {
        try (CommandProcess demo = start("demo", "--duration=60s")) {
            demo.awaitErr("measuring the throughput");
            demo.signal("INT");
            assertThat(demo.exitCode()).as(demo::err).isEqualTo(130);
            await().until(() -> demo.process().descendants().findAny().isEmpty());
        }
        assertLogsAreDeleted();
    }
}
