package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.Role;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an operator reads from a broker with 10,000 topics. */
@Tag("once")
@Timeout(180)
final class TenThousandTopicsSystemTest {
    private static final int COUNT = 10_000;

    private final RunningBroker running = new RunningBroker(
            "rbmq.limits.topics-per-connection = " + COUNT, "rbmq.broker.capacity = 16", "rbmq.broker.keep = 0");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldAnswerBriefly() throws Exception {
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        for (int i = 0; i < COUNT; i++) {
            publisher.createBuffer(i, 16);
            publisher.announce(i, 16, "sensors/building-" + i % 100 + "/temperature/" + i);
        }
        AdminApi api = new AdminApi(running);
        await().until(() -> api.object("/api/status").getInt("topics") == COUNT);
        Config topics = api.object("/api/topics");
        assertThat(topics.getInt("matching")).isEqualTo(COUNT);
        assertThat(topics.getInt("shown")).isEqualTo(100);
        assertThat(api.text("/api/topics").getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(50_000);
        assertThat(api.object("/api/topics?limit=10000&sort=name").getConfigList("topics"))
                .hasSize(COUNT);
        assertThat(api.list("topics", "?limit=10000&filter=" + AdminApi.encode("sensors/building-7/#")))
                .hasSize(100);
        Map<String, Double> metrics = StrictMetrics.parse(api.text("/metrics"));
        assertThat(metrics)
                .hasSizeLessThan(2000)
                .containsEntry("rbmq_topics", (double) COUNT)
                .containsEntry("rbmq_topic_publishers{topic=(others)}", COUNT - 100.0);
        Map<String, Double> details = StrictMetrics.parse(api.text("/metrics/detail?topic=%23"));
        assertThat(details).hasSizeLessThan(10_000).containsEntry("rbmq_detail_omitted_topics", COUNT - 1000.0);
    }
}
