package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests in which one publisher distributes its messages over thousands of topics, all of which one subscriber reads.
 */
final class ThousandsOfTopicsSystemTest {
    private static final int MESSAGES_PER_TOPIC = 20;

    private final RunningBroker running = new RunningBroker();

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    @Timeout(600)
    void shouldLoseNothingWhenTheSubscriberJoinsAThousandTopicsFirst() throws Exception {
        Arrivals arrivals = new Arrivals(1000);
        arrivals.subscribe();
        arrivals.publish(arrivals.announce());
        arrivals.awaitAll();
    }

    @Test
    @Timeout(600)
    void shouldLoseNothingWhenThePublisherJoinsAThousandTopicsFirst() throws Exception {
        Arrivals arrivals = new Arrivals(1000);
        List<TopicPublisher> topics = arrivals.announce();
        arrivals.subscribe();
        arrivals.publish(topics);
        arrivals.awaitAll();
    }

    @Test
    @Tag("once")
    @Timeout(600)
    void shouldListMoreNamesThanMayWaitForASubscriber() throws Exception {
        int topicCount = 2000;
        int filterCount = 20;
        Publisher publisher = running.publisher();
        List<TopicPublisher> topics = IntStream.range(0, topicCount)
                .mapToObj(topic -> publisher.topic("t".repeat(240) + "/" + topic))
                .toList();
        for (TopicPublisher topic : topics) {
            topic.announced().get(60, TimeUnit.SECONDS);
        }
        CountDownLatch release = new CountDownLatch(1);
        RawClient subscriber = new RawClient(running, Role.SUBSCRIBER);
        try {
            subscriber.connection().execute(() -> awaitUninterruptibly(release));
            for (int i = 0; i < filterCount; i++) {
                subscriber.send(TopicLayout.write(i, null, "#"));
            }
            subscriber.send(TopicLayout.write(filterCount, null, "last"));
            await().until(() -> running.broker().state().topicCount() == topicCount + 1);
        } finally {
            release.countDown();
        }
        for (int i = 0; i < filterCount; i++) {
            for (int j = 0; j < topicCount; j++) {
                assertThat(subscriber.nextNotice()).isEqualTo("TOPIC_BUFFERS");
            }
            assertThat(subscriber.nextNotice()).startsWith("DEPARTURES");
            assertThat(subscriber.nextNotice()).startsWith("TOPIC_LISTED");
        }
        assertThat(subscriber.nextNotice()).startsWith("DEPARTURES");
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_LISTED");
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void shouldLoseNothingWithTenThousandTopics() throws Exception {
        Arrivals arrivals = new Arrivals(10_000);
        arrivals.subscribe();
        arrivals.publish(arrivals.announce());
        arrivals.awaitAll();
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void shouldLoseNothingWhenAFilterMatchesTenThousandTopics() throws Exception {
        Arrivals arrivals = new Arrivals(10_000);
        List<TopicPublisher> topics = arrivals.announce();
        arrivals.subscribeToAll();
        arrivals.publish(topics);
        arrivals.awaitAll();
    }

    /** A check that each topic's messages arrive complete and in order. */
    private final class Arrivals {
        private final int topicCount;
        private final long[] next;
        private final AtomicLong wrong = new AtomicLong();
        private final CountDownLatch left;

        private Arrivals(int topicCount) {
            this.topicCount = topicCount;
            this.next = new long[topicCount];
            this.left = new CountDownLatch(topicCount * MESSAGES_PER_TOPIC);
        }

        private void subscribe() throws Exception {
            Subscriber subscriber = running.subscriber();
            CompletableFuture<?>[] live = IntStream.range(0, topicCount)
                    .mapToObj(topic ->
                            subscriber.subscribe(name(topic), handler(topic)).ready())
                    .toArray(CompletableFuture<?>[]::new);
            CompletableFuture.allOf(live).get(60, TimeUnit.SECONDS);
        }

        private void subscribeToAll() throws Exception {
            Map<String, MessageHandler> handlers = new HashMap<>();
            IntStream.range(0, topicCount).forEach(topic -> handlers.put(name(topic), handler(topic)));
            running.subscriber()
                    .subscribe("+", message -> handlers.get(message.topic()).onMessage(message))
                    .ready()
                    .get(60, TimeUnit.SECONDS);
        }

        private MessageHandler handler(int topic) {
            return message -> {
                boolean right =
                        message.length() == Long.BYTES && message.getLong(0) == next[topic] * topicCount + topic;
                next[topic]++;
                wrong.addAndGet(right ? 0 : 1);
                left.countDown();
            };
        }

        private List<TopicPublisher> announce() throws Exception {
            Publisher publisher = running.publisher();
            List<TopicPublisher> topics = IntStream.range(0, topicCount)
                    .mapToObj(topic -> publisher.topic(name(topic)))
                    .toList();
            for (TopicPublisher topic : topics) {
                topic.announced().get(60, TimeUnit.SECONDS);
            }
            return topics;
        }

        private void publish(List<TopicPublisher> topics) {
            for (int i = 0; i < topicCount * MESSAGES_PER_TOPIC; i++) {
                byte[] message = ByteBuffer.allocate(Long.BYTES).putLong(i).array();
                assertThat(topics.get(i % topicCount).publish(message)).isEqualTo(PublishResult.PUBLISHED);
            }
        }

        private void awaitAll() throws Exception {
            assertThat(left.await(60, TimeUnit.SECONDS))
                    .as("%d messages are missing", left.getCount())
                    .isTrue();
            assertThat(wrong).hasValue(0);
        }
    }

    private static String name(int topic) {
        return "topic " + topic;
    }
}
