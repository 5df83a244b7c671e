package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class PublisherTest {
    private static final int CAPACITY = 1000;

    private final RunningBroker running = new RunningBroker(
            "rbmq.broker.capacity = 1000",
            "rbmq.subscriber.capacity = 1000",
            // There is only one worker, so all handlers run on the worker that serves all connections.
            "rocketbufs.tcp.num-threads = 1");
    private final ClientSettings small = running.client().withCapacities(CAPACITY, CAPACITY);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() throws Exception {
        release.countDown();
        running.close();
    }

    @Test
    void shouldAcceptTheLongestMessageAndRejectALongerOne() throws Exception {
        Messages messages = subscribed();
        TopicPublisher topic = running.publisher(small).topic("t");
        assertThat(topic.longestMessage()).isEqualTo(CAPACITY - 4);
        assertThat(topic.publish(new byte[CAPACITY - 4])).isEqualTo(PublishResult.PUBLISHED);
        assertThatThrownBy(() -> topic.publish(new byte[CAPACITY - 3]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("longestMessage=996");
        assertThatThrownBy(() -> topic.tryClaim(CAPACITY - 3)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> topic.tryPublish(ByteBuffer.allocate(CAPACITY - 3)))
                .isInstanceOf(IllegalArgumentException.class);
        await().until(() -> messages.count() == 1);
        assertThat(messages.texts().get(0)).hasSize(CAPACITY - 4);
    }

    @Test
    void shouldTakeNoSpaceWhenTheRangeIsOutsideOfTheArray() throws Exception {
        Messages messages = subscribed();
        TopicPublisher topic = running.publisher(small).topic("t");
        for (int i = 0; i < 100; i++) {
            assertThatThrownBy(() -> topic.publish(new byte[50], 1, 50)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> topic.tryPublish(new byte[50], -1, 50))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThat(topic.publish(new byte[50], 0, 50)).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> messages.count() == 1);
    }

    @Test
    void shouldPassALongMessageThroughABrokerAndASubscriberWithSmallBuffers() throws Exception {
        Messages messages = subscribed();
        Publisher publisher = running.publisher(small.withCapacities(300_000, CAPACITY));
        assertThat(publisher.publish("t", new byte[299_996])).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> messages.count() == 1);
    }

    @Test
    void shouldReturnNoSpaceUntilTheSubscriberConsumes() throws Exception {
        stuckSubscriber();
        TopicPublisher topic = running.publisher(small).topic("t");
        int count = fill(topic);
        assertThat(count).isLessThan(3 * CAPACITY / 104 + 3);
        release.countDown();
        assertThat(topic.publish(new byte[100])).isEqualTo(PublishResult.PUBLISHED);
    }

    @Test
    void shouldNotBlockOtherCallersWhileOneWaitsForSpace() throws Exception {
        RocketBufs silent = running.another();
        TopicPublisher topic = publisher(silent).topic("t");
        publishAll(topic);
        Thread waiting = waitingToPublish(topic, new AtomicReference<>());
        assertThat(topic.tryPublish(new byte[100])).isEqualTo(PublishResult.NO_SPACE);
        assertThat(topic.tryClaim(100).refusal()).isEqualTo(PublishResult.NO_SPACE);
        silent.close();
        waiting.join();
    }

    @Test
    void shouldReturnInterruptedWhenAWaitingThreadIsInterrupted() throws Exception {
        RocketBufs silent = running.another();
        TopicPublisher topic = publisher(silent).topic("t");
        publishAll(topic);
        AtomicReference<PublishResult> result = new AtomicReference<>();
        Thread waiting = waitingToPublish(topic, result);
        waiting.interrupt();
        waiting.join();
        assertThat(result.get()).isEqualTo(PublishResult.INTERRUPTED);
        silent.close();
    }

    @Test
    void shouldReturnNotConnectedToAWaitingThreadWhenTheBrokerIsLost() throws Exception {
        RocketBufs silent = running.another();
        Publisher publisher = publisher(silent);
        TopicPublisher topic = publisher.topic("t");
        int count = publishAll(topic);
        AtomicReference<PublishResult> result = new AtomicReference<>();
        Thread waiting = waitingToPublish(topic, result);
        silent.close();
        waiting.join();
        assertThat(result.get()).isEqualTo(PublishResult.NOT_CONNECTED);
        assertThat(publisher.isConnected()).isFalse();
        await().until(() -> publisher.closed().isCompletedExceptionally());
        assertThat(publisher.unconfirmedCount()).isEqualTo(count);
        assertThat(publisher.flush(10)).isFalse();
        assertThat(publisher.topic("u").tryPublish(new byte[1])).isEqualTo(PublishResult.NOT_CONNECTED);
    }

    @Test
    void shouldReturnClosedAfterClosing() {
        Publisher publisher = running.publisher(small);
        TopicPublisher topic = publisher.topic("t");
        publisher.close();
        assertThat(topic.publish(new byte[1])).isEqualTo(PublishResult.CLOSED);
        assertThatThrownBy(() -> publisher.topic("u")).isInstanceOf(IllegalStateException.class);
        assertThat(publisher.closed()).isCompleted();
        publisher.close();
    }

    @Test
    void shouldReleaseAllResourcesWhenItIsClosed() {
        RocketBufs clients = running.opened(RocketBufs.open(RunningBroker.config("rocketbufs.close-timeout = 200 ms")));
        List<WeakReference<Publisher>> closed = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            try (Publisher publisher = Publisher.connect(clients, small)) {
                publisher.publish("t", new byte[10]);
                closed.add(new WeakReference<>(publisher));
            }
        }
        assertThat(clients.metrics().outputs()).isEmpty();
        await().until(() -> clients.memoryInUse() == 0);
        await().until(() -> {
            System.gc();
            return closed.stream().allMatch(reference -> reference.get() == null);
        });
    }

    @Test
    void shouldReleaseAllResourcesWhenTheBrokerIsLostAndAClaimIsOpen() throws Exception {
        Publisher publisher = running.publisher(small);
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(60, TimeUnit.SECONDS);
        Claim claim = topic.claim(10);
        running.broker().close();
        await().until(() -> publisher.closed().isDone());
        assertThat(publisher.topic("u").publish(new byte[1])).isEqualTo(PublishResult.NOT_CONNECTED);
        claim.putLong(0, 1);
        claim.abort();
        assertThat(running.clients().metrics().outputs()).isEmpty();
        assertThat(publisher.topic("v").publish(new byte[1])).isEqualTo(PublishResult.NOT_CONNECTED);
        assertThat(publisher.unconfirmedCount()).isZero();
        publisher.close();
    }

    @Test
    void shouldReturnRefusedWhenTheBrokerRefusesTheTopic() {
        Publisher publisher = running.publisher(small.withCapacities(128L << 20, CAPACITY));
        TopicPublisher topic = publisher.topic("t");
        assertThatThrownBy(() -> topic.announced().get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(TransportException.class)
                .hasMessage("the broker refused topic \"t\": capacity=134217728 exceeds"
                        + " rbmq.broker.max-capacity=67108864");
        assertThat(topic.publish(new byte[1])).isEqualTo(PublishResult.REFUSED);
        assertThat(publisher.isConnected()).isTrue();
    }

    @Test
    void shouldStateHowManyMessagesWereNotConfirmedWhenTheBrokerIsLost() throws Exception {
        RocketBufs broker = running.another();
        Publisher publisher = publisher(broker);
        int count = publishAll(publisher.topic("t"));
        broker.close();
        assertThatThrownBy(() -> publisher.closed().get(60, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(TransportException.class)
                .hasMessageEndingWith("; " + publisher.unconfirmedCount() + " of " + count
                        + " messages were not confirmed by the broker");
        assertThat(publisher.unconfirmedCount()).isPositive();
        assertThatThrownBy(() -> publisher.topic("late").announced().get(60, TimeUnit.SECONDS))
                .hasMessageEndingWith("topic \"late\" has ended: the connection to the broker was lost");
    }

    @Test
    void shouldConfirmWhatTheBrokerHasConsumedWhenItIsClosed() throws Exception {
        Messages messages = subscribed();
        Publisher publisher = running.publisher();
        for (int i = 0; i < 20; i++) {
            publisher.publish("t", new byte[10]);
        }
        await().until(() -> messages.count() == 20);
        await().until(() -> running.brokersPendingLength() == 0);
        assertThat(publisher.unconfirmedCount()).isEqualTo(20);
        running.broker().close();
        assertThatThrownBy(() -> publisher.closed().get(60, TimeUnit.SECONDS))
                .cause()
                .hasMessageEndingWith("closed the connection: the broker is closing");
        assertThat(publisher.unconfirmedCount()).isZero();
    }

    @Test
    void shouldFailToConnectWhenNoBrokerListens() {
        RocketBufs clients = running.clients();
        assertThatThrownBy(() -> Publisher.connect(clients, small.withBroker("127.0.0.1", 1)))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.code()).isEqualTo(TransportException.Code.NO_LISTENER));
    }

    @Test
    void shouldSendPublishedMessagesWhenATopicIsClosed() throws Exception {
        Messages messages = subscribed();
        Publisher publisher = running.publisher(small);
        TopicPublisher topic = publisher.topic("t");
        topic.publish("last".getBytes(UTF_8));
        topic.close();
        assertThat(topic.publish(new byte[1])).isEqualTo(PublishResult.CLOSED);
        await().until(() -> messages.count() == 1);
        await().until(() -> running.broker().topics().get(0).publishers().isEmpty());
        assertThat(publisher.flush(10_000)).isTrue();
        assertThat(publisher.unconfirmedCount()).isZero();
    }

    @Test
    void shouldReportUnconfirmedMessagesWhenClosingTimesOut() throws Exception {
        stuckSubscriber();
        ClientSettings quick = small.withDrainTimeout(50);
        Publisher publisher = running.publisher(quick);
        TopicPublisher topic = publisher.topic("t");
        int count = fill(topic);
        publisher.close();
        assertThat(publisher.unconfirmedCount()).isPositive().isLessThanOrEqualTo(count);
        assertThat(publisher.unconfirmedLength()).isPositive().isLessThanOrEqualTo(count * 104L);
        release.countDown();
    }

    @Test
    void shouldConfirmMessagesOnlyWhenTheBrokerHasConsumedThem() throws Exception {
        Messages messages = subscribed();
        Publisher publisher = running.publisher(small);
        publisher.publish("t", new byte[10]);
        await().until(() -> messages.count() == 1);
        assertThat(publisher.unconfirmedCount()).isEqualTo(1);
        assertThat(publisher.unconfirmedLength()).isEqualTo(14);
        assertThat(publisher.flush(10_000)).isTrue();
        assertThat(publisher.unconfirmedCount()).isZero();
        assertThat(publisher.unconfirmedLength()).isZero();
        assertThat(publisher.publishedCount()).isEqualTo(1);
        assertThat(publisher.publishedLength()).isEqualTo(10);
    }

    @Test
    void shouldNeverWaitWithoutFlowControl() throws Exception {
        stuckSubscriber();
        Publisher publisher = running.publisher(small.withFlowControl(false));
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(60, TimeUnit.SECONDS);
        for (int i = 0; i < 1000; i++) {
            assertThat(topic.publish(new byte[100])).isEqualTo(PublishResult.PUBLISHED);
        }
        assertThat(publisher.flush(1)).isTrue();
        release.countDown();
    }

    @Test
    void shouldServeSeveralThreads() throws Exception {
        Messages messages = subscribed();
        TopicPublisher topic = running.publisher(small).topic("t");
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            String prefix = t + ":";
            Thread thread = new Thread(() -> publishAll(topic, prefix));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        await().until(() -> messages.count() == 4000);
        for (int t = 0; t < 4; t++) {
            String prefix = t + ":";
            assertThat(messages.texts().stream().filter(text -> text.startsWith(prefix)))
                    .isEqualTo(
                            IntStream.range(0, 1000).mapToObj(i -> prefix + i).toList());
        }
    }

    private static void publishAll(TopicPublisher topic, String prefix) {
        for (int i = 0; i < 1000; i++) {
            byte[] message = (prefix + i).getBytes(UTF_8);
            PublishResult result;
            if (i % 3 == 0) {
                result = topic.publish(ByteBuffer.wrap(message));
            } else if (i % 3 == 1) {
                result = topic.publish(message);
            } else {
                Claim claim = topic.claim(message.length + 7);
                claim.put(0, message, 0, message.length);
                result = claim.commit(message.length);
            }
            assertThat(result).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    @Test
    void shouldRefuseToWaitOnAWorker() throws Exception {
        stuckSubscriber();
        Publisher publisher = running.publisher(small);
        TopicPublisher topic = publisher.topic("t");
        fill(topic);
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        Subscriber subscriber = running.subscriber(running.client(), new SubscriberCallback() {
            @Override
            public void onError(String name, int number, Throwable error) {
                errors.add(error);
            }
        });
        subscriber
                .subscribe("go", message -> topic.publish(new byte[100]))
                .ready()
                .get(60, TimeUnit.SECONDS);
        subscriber.subscribe("flush", message -> publisher.flush(1)).ready().get(60, TimeUnit.SECONDS);
        running.publisher().publish("go", new byte[1]);
        running.publisher().publish("flush", new byte[1]);
        await().until(() -> errors.size() == 2);
        assertThat(errors)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("worker must not wait"));
        release.countDown();
    }

    /** Returns a publisher of a broker that never consumes messages. */
    private Publisher publisher(RocketBufs silent) {
        return running.publisher(small.withBroker(RunningBroker.silent(silent)));
    }

    /**
     * Publishes to topic t until neither the publisher nor the broker has space: the broker frees the publisher's space
     * only when the subscriber reads, and reports that the subscriber delays the publisher.
     */
    private int fill(TopicPublisher topic) {
        int[] count = {0};
        await().until(() -> {
            count[0] += publishAll(topic);
            return running.broker().topics().get(0).subscribers().get(0).currentDelayMs() > 0;
        });
        return count[0] + publishAll(topic);
    }

    private static int publishAll(TopicPublisher topic) {
        int count = 0;
        while (topic.tryPublish(new byte[100]) == PublishResult.PUBLISHED) {
            count++;
        }
        return count;
    }

    private static Thread waitingToPublish(TopicPublisher topic, AtomicReference<PublishResult> result) {
        Thread waiting = new Thread(() -> result.set(topic.publish(new byte[100])));
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        return waiting;
    }

    private void stuckSubscriber() throws Exception {
        Subscriber subscriber =
                running.opened(Subscriber.connect(running.another(), small, new SubscriberCallback() {}));
        subscriber.subscribe("t", message -> awaitRelease()).ready().get(60, TimeUnit.SECONDS);
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Messages subscribed() throws Exception {
        Messages messages = new Messages();
        running.subscriber().subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
        return messages;
    }
}
