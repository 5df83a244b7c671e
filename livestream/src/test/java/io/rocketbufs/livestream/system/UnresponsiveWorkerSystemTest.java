package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.livestream.ingest.IngestServer;
import io.rocketbufs.livestream.relay.Relay;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.web.TlsIdentity;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a relay and an edge report themselves as unhealthy while one of their workers hangs in a task. */
@Tag("once")
@Timeout(600)
final class UnresponsiveWorkerSystemTest {
    private final Config config = Running.config();
    private final LivestreamSettings settings = LivestreamSettings.from(config);
    private final TlsIdentity identity = TlsIdentity.load(settings.tls());
    private final Transport transport = ServiceLoader.load(TransportProvider.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(provider -> provider.name().equals("tcp"))
            .findAny()
            .orElseThrow()
            .open(config);
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    @AfterEach
    void close() {
        identity.close();
    }

    @Test
    void shouldReportTheRelayAsUnhealthyUntilTheWorkerResponds() {
        try (RocketBufs rocketBufs = RocketBufs.open(config, transport);
                Relay relay = Relay.open(rocketBufs, settings.relay());
                IngestServer ingest = IngestServer.open(relay, identity, 1)) {
            checkHealth(ingest.address(), List.of("/health", "/health/live", "/health/ready"));
        }
    }

    @Test
    void shouldReportAnEdgeAsUnhealthyUntilTheWorkerResponds() {
        try (RocketBufs rocketBufs = RocketBufs.open(config, transport);
                Edge edge = Edge.open(rocketBufs, settings.edge(), identity, 1)) {
            assertThat(body(Https.get(edge.address(), "/health/ready")))
                    .isEqualTo("not ready: not connected to the relay\n");
            checkHealth(edge.address(), List.of("/health/live"));
        }
    }

    private void checkHealth(InetSocketAddress server, List<String> paths) {
        transport.workers().get(0).execute(released::join);
        try {
            for (String path : paths) {
                HttpResponse<byte[]> response = Https.get(server, path);
                assertThat(response.statusCode()).as(path).isEqualTo(503);
                assertThat(body(response)).matches("not (live|ready): no answer from tcp worker 1 of [0-9]+\n");
            }
        } finally {
            released.complete(null);
        }
        for (String path : paths) {
            await().until(() -> Https.get(server, path).statusCode() == 200);
        }
    }

    private static String body(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }
}
