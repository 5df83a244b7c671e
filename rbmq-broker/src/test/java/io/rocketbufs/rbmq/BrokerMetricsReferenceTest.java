package io.rocketbufs.rbmq;

import io.rocketbufs.reference.ReferencePage;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that the metrics reference page lists all metrics of a broker. */
final class BrokerMetricsReferenceTest {
    @Test
    void shouldListTheMetricsOfABroker() throws Exception {
        try (RunningBroker running = new RunningBroker()) {
            int port = running.broker().adminAddress().getPort();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                    .build();
            String scrape = HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body();
            ReferencePage.read("metrics.md").checkMetrics(Set.of("rbmq"), scrape);
        }
    }
}
