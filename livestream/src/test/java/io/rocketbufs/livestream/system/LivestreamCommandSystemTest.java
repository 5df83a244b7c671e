package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.fetch;
import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.livestream.Https;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class LivestreamCommandSystemTest {
    private static final String ANY_INGEST = "livestream.ingest.port=0";
    private static final String ANY_RELAY = "livestream.relay.port=0";
    private static final String ANY_EDGE = "livestream.edge.port=0";

    @Test
    void shouldReportErrorsAndExitWithTheirCodes() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = "livestream.ingest.port=" + taken.getLocalPort();
            // The commands run concurrently, because each command spends most of its time starting a JVM.
            List<Ending> endings = List.of(
                    new Ending(2, "Unknown option", "relay", "--nonsense"),
                    new Ending(3, "livestream.ingest.prt", "relay", "--set", "livestream.ingest.prt=1"),
                    new Ending(3, "not in the range 0 to 65535", "edge", "--set", "livestream.edge.port=70000"),
                    new Ending(69, "is not installed", "edge", "--set", "rocketbufs.transport=pigeon"),
                    new Ending(1, "livestream.ingest.port", "relay", "--set", ANY_RELAY, "--set", port),
                    new Ending(2, "must be at least 1", "demo", "--edges", "0"));
            for (Ending ending : endings) {
                ending.check();
            }
        }
    }

    /** A command that ends without receiving a signal. */
    private static final class Ending {
        private final int code;
        private final String says;
        private final LivestreamProcess process;

        Ending(int code, String says, String... arguments) {
            this.code = code;
            this.says = says;
            this.process = LivestreamProcess.start(arguments);
        }

        void check() throws InterruptedException {
            try (process) {
                assertThat(process.exitCode()).as(process.err()).isEqualTo(code);
                assertThat(process.err()).contains(says);
            }
        }
    }

    /**
     * Waits until more seconds have passed than chunks have been pushed. Chunk numbers are based on the clock and
     * assume that a source produces less than one chunk per second, but the test pushes chunks faster than that.
     */
    private static void awaitMoreSecondsThan(int chunks) {
        long pushedMs = System.currentTimeMillis();
        AwaitConnected.until(() -> System.currentTimeMillis() - pushedMs > 1000L * chunks);
    }

    @Test
    void shouldEndGracefullyAndRecoverFromEveryKill() throws Exception {
        try (LivestreamProcess relay = LivestreamProcess.start("relay", "--set", ANY_INGEST, "--set", ANY_RELAY)) {
            String ready = relay.readLine();
            assertThat(ready).matches("ready relay=[0-9]+ ingest=[0-9]+");
            InetSocketAddress ingest = new InetSocketAddress("127.0.0.1", LivestreamProcess.port(ready, "ingest"));
            int relayPort = LivestreamProcess.port(ready, "relay");
            String[] edgeCommand = {
                "edge",
                "--set",
                ANY_EDGE,
                "--set",
                "livestream.relay.address=127.0.0.1:" + relayPort,
                // The playlist must not end, even though the relay restarts slowly while several JVMs are starting.
                "--set",
                "livestream.edge.relay-timeout=1 minute"
            };
            try (LivestreamProcess killed = LivestreamProcess.start(edgeCommand);
                    LivestreamProcess edge = LivestreamProcess.start(edgeCommand)) {
                InetSocketAddress first = killed.awaitReady("edge");
                InetSocketAddress second = edge.awaitReady("edge");
                awaitConnected(first);
                awaitConnected(second);
                push(ingest, "cam", 0);
                awaitFiles(first, "cam", 1);

                killed.signal("KILL");
                byte[] pushed = push(ingest, "cam", 1);
                awaitFiles(second, "cam", 2);
                assertThat(fetch(second, "cam", files(second, "cam").get(1))).isEqualTo(pushed);

                relay.signal("KILL");
                relay.exitCode();
                AwaitConnected.until(() -> Https.get(second, "/health/ready").statusCode() == 503);
                awaitMoreSecondsThan(2);
                String[] again = {
                    "relay",
                    "--set",
                    "livestream.ingest.port=" + ingest.getPort(),
                    "--set",
                    "livestream.relay.port=" + relayPort
                };
                try (LivestreamProcess restarted = LivestreamProcess.start(again)) {
                    restarted.awaitReady("relay");
                    awaitConnected(second);
                    String former = files(second, "cam").get(0);
                    byte[] after = push(ingest, "cam", 2);
                    push(ingest, "cam", 3); // two new chunks replace the previous ones in the playlist
                    AwaitConnected.until(() -> !files(second, "cam").contains(former));
                    assertThat(fetch(second, "cam", files(second, "cam").get(0)))
                            .isEqualTo(after);

                    restarted.signal("TERM");
                    assertThat(restarted.exitCode()).isEqualTo(143);
                    Emulated.awaitPlaylist(second, "cam", "#EXT-X-ENDLIST");
                }
                edge.signal("TERM");
                assertThat(edge.exitCode()).isEqualTo(143);
            }
        }
    }

    private static void awaitConnected(InetSocketAddress edge) {
        AwaitConnected.until(() -> Https.get(edge, "/health/ready").statusCode() == 200);
    }

    @Test
    void shouldRunTheDemo() throws Exception {
        try (LivestreamProcess demo = LivestreamProcess.start("demo", "--edges", "2", "--duration", "7s", "--json")) {
            Config result = ConfigFactory.parseString(demo.lastLine());

            assertThat(demo.exitCode()).as(demo.err()).isZero();
            assertThat(result.getInt("ingest_chunks")).isGreaterThanOrEqualTo(2);
            assertThat(result.getIntList("edge_chunks")).hasSize(2);
        }
    }

    @Test
    void shouldRunTheBenchmarkWithoutFaults() throws Exception {
        bench(5, 10, "6s");
    }

    @Test
    @Tag("slow")
    void shouldCarryAHundredStreamsWithoutFaults() throws Exception {
        Config result = bench(100, 100, "30s");
        assertThat(result.getInt("late")).isZero();
        assertThat(result.getLong("relay_memory_per_stream")).isEqualTo(6 << 20);
        assertThat(result.getLong("edge_memory_per_stream")).isEqualTo(6 << 20);
    }

    private static Config bench(int streams, int viewers, String duration) throws IOException, InterruptedException {
        List<String> command = List.of(
                "bench",
                "--streams",
                Integer.toString(streams),
                "--viewers",
                Integer.toString(viewers),
                "--duration",
                duration,
                "--json");
        try (LivestreamProcess bench = LivestreamProcess.start(command.toArray(String[]::new))) {
            String line = bench.lastLine();
            int exitCode = bench.exitCode();
            assertThat(line).as(bench.err()).isNotBlank();
            Config result = ConfigFactory.parseString(line);
            assertThat(result.getInt("chunks")).isPositive();
            assertThat(result.getInt("errors")).as(line).isZero();
            assertThat(result.getInt("corrupted")).isZero();
            assertThat(result.getInt("skipped")).as(line).isZero();
            // On a busy machine, chunks are late.
            assertThat(exitCode).as(line).isEqualTo(result.getInt("late") == 0 ? 0 : 1);
            assertThat(result.getDouble("edge_cpu_per_stream")).isPositive();
            return result;
        }
    }
}
