package io.rocketbufs.livestream.system;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.reference.ReferencePage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A test that the reference page lists the metrics of livestream and of the framework. Together, relay and edge have
 * all of the framework's metrics: the relay has output buffers and subscriptions, and the edge has input buffers.
 */
@Tag("once")
final class LivestreamMetricsReferenceTest {
    @Test
    void shouldListTheMetricsOfRelayAndEdge() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            Emulated.push(running.ingest(), "cam", 0);
            Emulated.awaitFiles(edge.address(), "cam", 1);
            ReferencePage.read("metrics.md")
                    .checkMetrics(Set.of("livestream", "rocketbufs"), scrape(running.ingest()), scrape(edge.address()));
        }
    }

    private static String scrape(InetSocketAddress server) {
        return new String(Https.get(server, "/metrics").body(), StandardCharsets.UTF_8);
    }
}
