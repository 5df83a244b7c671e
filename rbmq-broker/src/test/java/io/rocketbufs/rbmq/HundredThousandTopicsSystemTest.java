package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A test in which one client announces 100,000 topics with the default limits. */
@Tag("slow")
@Timeout(1800)
final class HundredThousandTopicsSystemTest {
    private static final int COUNT = 100_000;
    private static final int ALLOWED = 40_000;
    /** Maximum number of pending announcements. */
    private static final int AHEAD = 1000;

    private int announcedCount;
    private int refusedCount;

    @Test
    void shouldRefuseTheTopicsBeyondTheLimitAndServeOthersMeanwhile() throws Exception {
        Messages received = new Messages();
        try (RunningBroker running = new RunningBroker(
                "rbmq.broker.capacity = 4 KiB",
                "rbmq.publisher.capacity = 4 KiB",
                "rbmq.client.connect-timeout = 60 s")) {
            running.subscriber().subscribe("others", received).ready().join();
            Publisher other = running.publisher();
            Publisher greedy = running.publisher();
            Queue<CompletableFuture<Void>> announcing = new ArrayDeque<>();
            for (int i = 0; i < COUNT; i++) {
                announcing.add(greedy.topic("t/" + i).announced());
                if (announcing.size() == AHEAD) {
                    settle(announcing.remove());
                }
                if (i % AHEAD == 0) {
                    assertThat(other.publish("others", "1".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
                }
            }
            announcing.forEach(this::settle);
            assertThat(announcedCount).isEqualTo(ALLOWED);
            assertThat(refusedCount).isEqualTo(COUNT - ALLOWED);
            assertThat(running.broker().state().refusals()).containsEntry("topics", (long) COUNT - ALLOWED);
            await().until(() -> received.count() == COUNT / AHEAD);
            assertThat(greedy.topic("t/0").publish("1".getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    private void settle(CompletableFuture<Void> announced) {
        try {
            announced.join();
            announcedCount++;
        } catch (CompletionException e) {
            assertThat(e).hasStackTraceContaining("exceeds rbmq.limits.topics-per-connection=" + ALLOWED);
            refusedCount++;
        }
    }
}
