package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.Role;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
    void shouldAnswerBrieflyAndSoon() throws Exception {
        announceAll();
        AdminApi api = new AdminApi(running);
        assertThat(api.object("/api/status").getInt("topics")).isEqualTo(COUNT);
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
        requireTime(api, "/api/topics", 20);
        requireTime(api, "/metrics", 100);
        Map<String, Double> details = StrictMetrics.parse(api.text("/metrics/detail?topic=%23"));
        assertThat(details).hasSizeLessThan(10_000).containsEntry("rbmq_detail_omitted_topics", COUNT - 1000.0);
    }

    @Test
    void shouldNeedLittleTimeAndHeapForATopic() throws Exception {
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        announce(publisher, 0, COUNT / 2); // warms up
        long heapBefore = ProcessResources.heapInUse();
        long timeBeforeNs = workersTimeNs();
        announce(publisher, COUNT / 2, COUNT);
        long perTopicNs = (workersTimeNs() - timeBeforeNs) / (COUNT / 2);
        long heapPerTopic = (ProcessResources.heapInUse() - heapBefore) / (COUNT / 2);
        System.out.printf("a topic needs %d ns and %d bytes of heap, client included%n", perTopicNs, heapPerTopic);
        assertThat(perTopicNs).isLessThan(50_000);
        assertThat(heapPerTopic).isLessThan(8 << 10);
    }

    private void announceAll() throws Exception {
        announce(new RawClient(running, Role.PUBLISHER), 0, COUNT);
    }

    private void announce(RawClient publisher, int first, int end) {
        for (int i = first; i < end; i++) {
            publisher.createBuffer(i, 16);
            publisher.announce(i, 16, "sensors/building-" + i % 100 + "/temperature/" + i);
        }
        await().pollInterval(Duration.ofMillis(5))
                .until(() -> running.broker().state().topicCount() == end);
    }

    /** Returns the processor time of the workers of the broker and of the client. */
    private static long workersTimeNs() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long sumNs = 0;
        for (long id : threads.getAllThreadIds()) {
            ThreadInfo info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().startsWith("rocketnet-tcp-worker")) {
                sumNs += threads.getThreadCpuTime(id);
            }
        }
        return sumNs;
    }

    /** Another program may use the processors meanwhile, so a quarter of the answers counts. */
    private static void requireTime(AdminApi api, String path, long limitMs) {
        int count = 40;
        long[] durationsNs = new long[count];
        for (int i = 0; i < count; i++) {
            long beginNs = System.nanoTime();
            api.text(path);
            durationsNs[i] = System.nanoTime() - beginNs;
        }
        Arrays.sort(durationsNs);
        System.out.printf("%s with %d topics: %.1f ms (median)%n", path, COUNT, durationsNs[count / 2] / 1e6);
        assertThat(durationsNs[count / 4]).as(path).isLessThan(TimeUnit.MILLISECONDS.toNanos(limitMs));
    }
}
