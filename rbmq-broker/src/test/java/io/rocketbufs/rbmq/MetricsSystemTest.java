package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the metrics that a scraper reads from a broker. */
@Tag("once")
@Timeout(600)
final class MetricsSystemTest {
    private static final String DETAIL = "/metrics/detail?topic=";

    private final RunningBroker running = new RunningBroker();
    private final AdminApi api = new AdminApi(running);

    @AfterEach
    void close() {
        running.close();
    }

    private Map<String, Double> scrape(String path) {
        return StrictMetrics.parse(api.text(path));
    }

    private void subscribe(String name, String filter) throws Exception {
        running.subscriber(running.subscriberSettings().withName(name), new SubscriberCallback() {})
                .subscribe(filter, message -> {})
                .ready()
                .get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldCountWhatGoesInAndOutByTopicAndByClient() throws Exception {
        subscribe("desk", "prices");
        subscribe("risk", "prices");
        Publisher feed = running.publisher(running.publisherSettings().withName("feed"));
        assertThat(feed.publish("prices", new byte[996])).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> scrape("/metrics").get("rbmq_sent_bytes_total") == 2000);
        Map<String, Double> values = scrape("/metrics");
        assertThat(values)
                .containsEntry("rbmq_received_bytes_total", 1000.0)
                .containsEntry("rbmq_sent_transfers_total", 2.0)
                .containsEntry("rbmq_topic_received_bytes_total{topic=prices}", 1000.0)
                .containsEntry("rbmq_topic_sent_bytes_total{topic=prices}", 2000.0)
                .containsEntry("rbmq_topic_subscribers{topic=prices}", 2.0)
                .containsEntry("rbmq_topic_publishers{topic=prices}", 1.0)
                .containsEntry("rbmq_topic_lag_bytes{topic=(others)}", 0.0)
                .containsEntry("rbmq_lost_bytes_total{reason=skipped}", 0.0)
                .containsEntry("rbmq_refusals_total{reason=wrong-token}", 0.0)
                .containsEntry("rbmq_disconnects_total{reason=graceful}", 0.0)
                .containsKeys("rocketbufs_connections", "process_uptime_seconds", "jvm_threads_live_threads");
        feed.close();
        await().until(() -> scrape("/metrics").get("rbmq_disconnects_total{reason=graceful}") == 1);
        assertThat(scrape("/metrics"))
                .containsEntry("rbmq_topic_received_bytes_total{topic=prices}", 1000.0)
                .containsEntry("rbmq_topic_sent_bytes_total{topic=prices}", 2000.0);
    }

    @Test
    void shouldShowEachClientOfTheTopicsThatARequestSelects() throws Exception {
        subscribe("desk", "prices/eur");
        Publisher feed = running.publisher(running.publisherSettings().withName("feed"));
        for (String topic : new String[] {"prices/eur", "trades"}) {
            assertThat(feed.publish(topic, new byte[996])).isEqualTo(PublishResult.PUBLISHED);
        }
        String filter = AdminApi.encode("prices/#");
        await().until(() -> scrape(DETAIL + filter).values().stream().anyMatch(value -> value == 1000.0));
        await().until(() -> scrape(DETAIL + filter).entrySet().stream()
                .anyMatch(entry -> entry.getValue() == 1000.0
                        && entry.getKey().startsWith("rbmq_detail_sent_bytes_total{address=127.0.0.1:")
                        && entry.getKey().endsWith(", subscriber=desk, topic=prices/eur}")));
        assertThat(api.text(DETAIL + filter)).doesNotContain("trades");
        assertThat(scrape(DETAIL + "none")).containsOnly(Map.entry("rbmq_detail_omitted_topics", 0.0));
        assertThat(api.get("/metrics/detail").statusCode()).isEqualTo(400);
        assertThat(api.get("/metrics/detail").body()).contains("the parameter \"topic\" is required");
        assertThat(api.get(DETAIL + "a%2F%23%2Fb").statusCode()).isEqualTo(400);
        assertThat(api.get(DETAIL + "a&limit=1").body()).contains("allowed are topic");
    }

    @Test
    void shouldStayValidWithHostileNames() throws Exception {
        String[] hostile = {
            "<script>alert(\"1\")</script>\\",
            "a\"} 1\\",
            "\u202eeur\u2028{x=\"y\"}",
            "(others)",
            "\u00e4".repeat(127),
            "\\n"
        };
        subscribe("desk\"} 5\n\\", "#");
        Publisher feed = running.publisher(running.publisherSettings().withName("feed\"\\\n{"));
        for (String topic : hostile) {
            feed.topic(topic).announced().get(60, TimeUnit.SECONDS);
        }
        Map<String, Double> values = scrape("/metrics");
        for (String topic : hostile) {
            assertThat(values).containsEntry("rbmq_topic_publishers{topic=" + topic + "}", 1.0);
        }
        assertThat(scrape(DETAIL + "%23").keySet())
                .filteredOn(series -> series.startsWith("rbmq_detail_capacity_bytes{"))
                .hasSize(hostile.length);
    }
}
