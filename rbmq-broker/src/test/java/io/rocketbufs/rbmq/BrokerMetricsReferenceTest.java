package io.rocketbufs.rbmq;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.RbmqClientMetrics;
import io.rocketbufs.reference.ReferencePage;
import io.rocketbufs.text.HostPort;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A test that the metrics reference page lists all metrics of a broker and of its clients. */
final class BrokerMetricsReferenceTest {
    @Test
    void shouldListTheMetricsOfABrokerAndOfAClient() throws Exception {
        try (RunningBroker running = new RunningBroker()) {
            AdminApi api = new AdminApi(running);
            ReferencePage.read("metrics.md")
                    .checkMetrics(
                            Set.of("rbmq"),
                            api.text("/metrics"),
                            api.text("/metrics/detail?topic=t"),
                            scrapeOfClient(running));
        }
    }

    private static String scrapeOfClient(RunningBroker running) {
        ClientOptions options = ClientOptions.defaults().withBrokers(HostPort.of(running.address()));
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (RbmqClient client = RbmqClient.connect(options)) {
            client.topic("t");
            client.subscribe("t", message -> {});
            new RbmqClientMetrics(client).bindTo(registry);
            return registry.scrape();
        }
    }
}
