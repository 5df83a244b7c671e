package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the pages that an operator reads from a broker with 10,000 topics. */
@Tag("once")
@Timeout(600)
final class TenThousandTopicsSystemTest {
    private static final int COUNT = 10_000;
    private static final int BATCH = 500;

    /** Makes the broker log as it does by default, without a line for each topic. */
    private final LoggedLines logged = new LoggedLines();

    private final RunningBroker running = new RunningBroker(
            "rbmq.limits.topics-per-connection = " + COUNT, "rbmq.broker.capacity = 16", "rbmq.broker.keep = 0");

    @AfterEach
    void close() {
        running.close();
        logged.close();
    }

    @Test
    void shouldAnswerBrieflyAndWithLittleTime() throws Exception {
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
        Set<Long> brokers = threads("rocketnet-tcp-worker");
        RawClient publisher =
                new RawClient(running.another(), running.address(), Role.PUBLISHER, GreetingLayout.write("raw", ""));
        announce(publisher, 0, COUNT / 2); // warms up
        long heapBefore = ProcessResources.heapInUse();
        long perTopicNs = Long.MAX_VALUE;
        // Other programs disturb the processor's caches, so the shortest time counts.
        for (int first = COUNT / 2; first < COUNT; first += BATCH) {
            long beforeNs = timeNs(brokers);
            announce(publisher, first, first + BATCH);
            perTopicNs = Math.min(perTopicNs, (timeNs(brokers) - beforeNs) / BATCH);
        }
        long heapPerTopic = (ProcessResources.heapInUse() - heapBefore) / (COUNT / 2);
        System.out.printf(
                "a topic needs %d ns of the broker's workers, and %d bytes of heap in broker and publisher%n",
                perTopicNs, heapPerTopic);
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
        await().atMost(60, TimeUnit.SECONDS)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> running.broker().state().topicCount() == end);
    }

    /**
     * Checks the time that a page takes. Measures processor time, because other programs may be using the processors.
     */
    private static void requireTime(AdminApi api, String path, long limitMs) {
        int count = 20;
        for (int i = 0; i < count; i++) {
            api.text(path); // warms up
        }
        Set<Long> serving = threads("rbmq-admin");
        long beforeNs = timeNs(serving);
        for (int i = 0; i < count; i++) {
            api.text(path);
        }
        long perPageNs = (timeNs(serving) - beforeNs) / count;
        System.out.printf("%s with %d topics needs %.1f ms%n", path, COUNT, perPageNs / 1e6);
        assertThat(perPageNs).as(path).isLessThan(TimeUnit.MILLISECONDS.toNanos(limitMs));
    }

    private static Set<Long> threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(name))
                .map(Thread::getId)
                .collect(Collectors.toSet());
    }

    /** Returns the total processor time of the threads with the given ids. */
    private static long timeNs(Set<Long> ids) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        return ids.stream()
                .mapToLong(threads::getThreadCpuTime)
                .filter(timeNs -> timeNs > 0)
                .sum();
    }
}
