package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests in which the cable between a relay and an edge, which run in separate network namespaces, is disconnected. */
@Tag("once")
@Timeout(600)
final class NetworkLossSystemTest {
    @TempDir
    File folder;

    private int pushed;

    @Test
    void shouldLoseNoDataWhenTheCableIsDisconnectedForFiveSeconds() throws IOException {
        List<Namespace> networks = Namespace.pair();
        try (Namespace here = networks.get(0);
                Namespace there = networks.get(1);
                LivestreamProcess relay = start(here, "relay", "livestream.relay.address=10.77.0.1");
                LivestreamProcess edge = start(there, "edge", "livestream.relay.address=10.77.0.1")) {
            String source = url(relay.awaitReady("ingest"), "/ingest/cam/");
            InetSocketAddress viewers = edge.awaitReady("edge");
            AwaitConnected.until(() ->
                    there.run("curl", "-sk", url(viewers, "/health/ready")).equals("ready\n"));
            push(here, source);
            AwaitConnected.until(() -> files(there, viewers) == 1);
            here.pull();
            long pulledNs = System.nanoTime();
            push(here, source);
            push(here, source);
            AwaitConnected.until(() -> System.nanoTime() - pulledNs > TimeUnit.SECONDS.toNanos(5));
            assertThat(files(there, viewers)).isEqualTo(1);
            here.plug();
            push(here, source);
            AwaitConnected.until(() -> files(there, viewers) == 4);
            assertThat(playlist(there, viewers)).doesNotContain("DISCONTINUITY", "ENDLIST");
            assertThat(edge.err()).doesNotContain("Disconnected from the relay");
        }
    }

    private static LivestreamProcess start(Namespace network, String command, String setting) {
        return LivestreamProcess.start(
                network.within(),
                Map.of(),
                command,
                "--set",
                "livestream.insecure=true",
                "--set",
                "rocketbufs.heartbeat-timeout=1m", // on a busy machine, the cable may be unplugged for longer than 5 s
                "--set",
                setting);
    }

    private static String url(InetSocketAddress server, String path) {
        return "https://127.0.0.1:" + server.getPort() + path;
    }

    private void push(Namespace network, String place) throws IOException {
        File file = new File(folder, "i" + pushed + ".ts");
        Files.write(file.toPath(), Emulated.chunk(1, pushed++));
        assertThat(network.run("curl", "-sSk", "-T", file.getPath(), place + file.getName()))
                .isEqualTo("taken\n");
    }

    private static String playlist(Namespace network, InetSocketAddress edge) {
        return network.run("curl", "-sSk", url(edge, "/live/cam/index.m3u8"));
    }

    private static long files(Namespace network, InetSocketAddress edge) {
        return playlist(network, edge)
                .lines()
                .filter(line -> line.endsWith(".ts"))
                .count();
    }
}
