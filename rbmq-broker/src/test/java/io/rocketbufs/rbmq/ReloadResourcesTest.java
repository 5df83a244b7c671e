package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the resources that a broker occupies after many reloads of its configuration. */
@Tag("slow")
@Timeout(600)
final class ReloadResourcesTest {
    private static final int COUNT = 1000;
    private static final long HEAP_LENGTH = 4 << 20;
    /** The pools of the broker and of its clients. */
    private static final int POOL_COUNT = 2;

    private final AtomicLong received = new AtomicLong();
    private final AtomicLong faultCount = new AtomicLong();
    private final AtomicLong published = new AtomicLong();
    private final AtomicBoolean ends = new AtomicBoolean();
    private String users;
    private RunningBroker running;

    @BeforeEach
    void start(@TempDir Path folder) throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "feed-token");
        users = "{ name = feed, token-file = \"" + token + "\", publish = [\"#\"], subscribe = [\"#\"] }";
        running = new RunningBroker("rbmq.users = [" + users + "]", "rocketbufs.tcp.num-threads = 1");
    }

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldLeaveMemoryDescriptorsAndThreadsWhereTheyWereAfterManyReloadsUnderLoad() throws Exception {
        Subscriber subscriber =
                running.subscriber(running.subscriberSettings().withToken("feed-token"), new SubscriberCallback() {
                    @Override
                    public void onGap(Gap gap) {
                        faultCount.incrementAndGet();
                    }
                });
        subscriber.subscribe("#", this::receive).ready().get(60, TimeUnit.SECONDS);
        TopicPublisher topic = running.publisher(running.publisherSettings().withToken("feed-token"))
                .topic("t");
        Thread publishing = new Thread(() -> publish(topic), "publishing");
        publishing.start();
        try {
            reload(50);
            ProcessResources before = ProcessResources.settled();
            long heapBefore = ProcessResources.heapInUse();
            reload(COUNT);
            await().untilAsserted(() -> {
                assertThat(ProcessResources.heapInUse()).isLessThan(heapBefore + HEAP_LENGTH);
                ProcessResources now = ProcessResources.now();
                now.assertNoLeakSince(before, COUNT);
                now.assertNoMoreMemoryThan(before, POOL_COUNT);
            });
        } finally {
            ends.set(true);
            publishing.join();
        }
        await().until(() -> received.get() == published.get());
        assertThat(faultCount).hasValue(0);
        assertThat(subscriber.isConnected()).isTrue();
    }

    private void receive(Message message) {
        if (message.getLong(0) != received.getAndIncrement()) {
            faultCount.incrementAndGet();
        }
    }

    private void publish(TopicPublisher topic) {
        while (!ends.get()) {
            long number = published.get();
            assertThat(topic.publish(ByteBuffer.allocate(8).putLong(0, number))).isEqualTo(PublishResult.PUBLISHED);
            published.incrementAndGet();
        }
    }

    private void reload(int count) {
        for (int i = 0; i < count; i++) {
            running.reload(
                    "rbmq.users = [" + users + ", { name = user" + i + ", token = token" + i + " }]",
                    "rbmq.broker.capacity = " + (1 + i % 4) + " MiB",
                    "rbmq.limits.topics-per-connection = " + (1000 + i),
                    "rbmq.topics = [{ match = \"rule/" + i + "/#\", keep = 1 }]");
        }
    }
}
