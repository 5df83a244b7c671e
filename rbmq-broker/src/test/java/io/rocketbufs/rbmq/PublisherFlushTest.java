package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class PublisherFlushTest {
    private static final int CAPACITY = 1000;
    /**
     * Number of messages: fewer than fit into the three buffers combined, but more than fit into the subscriber's
     * buffer.
     */
    private static final int COUNT = 15;

    private final RunningBroker running = new RunningBroker(
            "rbmq.broker.capacity = 1000", "rbmq.subscriber.capacity = 1000", "rocketbufs.tcp.num-threads = 2");
    private final ClientSettings small = running.client().withCapacities(CAPACITY, CAPACITY);
    private final CountDownLatch release = new CountDownLatch(1);

    @AfterEach
    void close() {
        release.countDown();
        running.close();
    }

    @Test
    void shouldCompleteWhenTheBrokerHasConsumedTheMessagesOfAllTopics() throws Exception {
        Publisher publisher = publishedToAStuckSubscriber();
        publisher.publish("u", new byte[100]);
        CompletableFuture<Void> flushed = publisher.flush();
        CompletableFuture<Boolean> ranOnWorker =
                flushed.thenApply(nothing -> running.clients().isWorkerThread());
        // The broker replies to this announcement only after the requests of the flush.
        publisher.topic("later").announced().get(60, TimeUnit.SECONDS);
        assertThat(flushed).isNotDone();
        release.countDown();
        // The test must not wait in flushed.get(), because the waiting thread could run the dependent actions itself.
        assertThat(ranOnWorker.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(flushed).isCompleted();
        assertThat(publisher.unconfirmedCount()).isZero();
        assertThat(publisher.flush()).isCompleted();
    }

    @Test
    void shouldCompleteImmediatelyWhenNothingWasPublished() {
        assertThat(running.publisher(small).flush()).isCompleted();
    }

    @Test
    void shouldFailWithTheReasonForWhichTheConnectionEnded() throws Exception {
        RocketBufs broker = running.another();
        Publisher publisher = publishedToASilentBroker(broker);
        CompletableFuture<Void> flushed = publisher.flush();
        broker.close();
        TransportException reason = failureOf(publisher.closed());
        assertThat(reason).hasMessageEndingWith("of " + COUNT + " messages were not confirmed by the broker");
        assertThat(failureOf(flushed)).isSameAs(reason);
        assertThat(failureOf(publisher.flush())).isSameAs(reason);
        assertThat(publisher.flush(10_000)).isFalse();
    }

    @Test
    void shouldFailWithTheReasonThatTheBrokerGivesWhenItCloses() throws Exception {
        Publisher publisher = publishedToAStuckSubscriber();
        CompletableFuture<Void> flushed = publisher.flush();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(running.broker()::close);
        TransportException reason = failureOf(flushed);
        assertThat(reason)
                .hasMessageContaining("the broker is closing; ")
                .hasMessageEndingWith("of " + COUNT + " messages were not confirmed by the broker");
        assertThat(reason).isSameAs(failureOf(publisher.closed()));
        release.countDown();
        closing.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldFailWithTheReasonForWhichTheBrokerRefusedATopic() throws Exception {
        Publisher publisher = running.publisher(small.withCapacities(128L << 20, CAPACITY));
        publisher.publish("t", new byte[100]);
        TransportException reason = failureOf(publisher.flush());
        assertThat(reason.code()).isEqualTo(TransportException.Code.REFUSED);
        assertThat(reason)
                .hasMessage("the broker refused topic \"t\": capacity=134217728 exceeds"
                        + " rbmq.broker.max-capacity=67108864");
        assertThat(publisher.isConnected()).isTrue();
    }

    @Test
    void shouldCloseWithoutWaitingForATopicThatWasRefused() throws Exception {
        Publisher publisher = running.publisher(
                small.withCapacities(128L << 20, CAPACITY).withDrainTimeout(TimeUnit.DAYS.toMillis(1)));
        publisher.publish("t", new byte[100]);
        assertThat(failureOf(publisher.flush()).code()).isEqualTo(TransportException.Code.REFUSED);
        publisher.close();
        assertThat(publisher.closed()).isCompleted();
    }

    @Test
    void shouldFailWhenThePublisherIsClosedFirst() throws Exception {
        Publisher publisher = publishedToAStuckSubscriber(small.withDrainTimeout(0));
        CompletableFuture<Void> flushed = publisher.flush();
        publisher.close();
        TransportException reason = failureOf(flushed);
        assertThat(reason.code()).isEqualTo(TransportException.Code.CLOSED);
        assertThat(reason)
                .hasMessage("the publisher was closed; " + publisher.unconfirmedCount() + " of " + COUNT
                        + " messages were not confirmed by the broker");
        assertThat(publisher.unconfirmedCount()).isPositive();
    }

    @Test
    void shouldFlushOnThePublishersOwnWorkerWithoutWaiting() throws Exception {
        Publisher publisher = running.publisher(small);
        CompletableFuture<Void> flushed = new CompletableFuture<>();
        // This callback runs on the publisher's worker.
        publisher.topic("t").announced().thenRun(() -> {
            publisher.topic("t").tryPublish(new byte[100]);
            publisher.flush().thenRun(() -> flushed.complete(null));
        });
        flushed.get(60, TimeUnit.SECONDS);
        assertThat(publisher.unconfirmedCount()).isZero();
    }

    @Test
    void shouldRefuseToWaitOnAnyWorker() throws Exception {
        Publisher publisher = publishedToAStuckSubscriber();
        TopicPublisher topic = publisher.topic("t");
        Map<Thread, Throwable> ofFlush = new ConcurrentHashMap<>();
        Map<Thread, Throwable> ofPublish = new ConcurrentHashMap<>();
        for (int i = 0; i < 2; i++) { // consecutive connections belong to different workers
            Subscriber subscriber = running.subscriber();
            subscriber
                    .subscribe("go", message -> {
                        note(ofFlush, () -> publisher.flush(1));
                        note(ofPublish, () -> publishUntilFull(topic));
                    })
                    .ready()
                    .get(60, TimeUnit.SECONDS);
        }
        running.publisher().publish("go", new byte[1]);
        await().until(() -> ofPublish.size() == 2);
        assertThat(ofFlush.values())
                .hasSize(2)
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("a worker must not wait for a flush"));
        assertThat(ofPublish.values())
                .allSatisfy(error -> assertThat(error)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("a worker must not wait for space"));
    }

    @Test
    void shouldCloseWithoutWaitingOnAnyWorker() throws Exception {
        Publisher[] publishers = {publishedToAStuckSubscriber(), running.publisher(small)};
        CountDownLatch closed = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            int worker = i;
            running.subscriber()
                    .subscribe("go", message -> {
                        publishers[worker].close();
                        closed.countDown();
                    })
                    .ready()
                    .get(60, TimeUnit.SECONDS);
        }
        running.publisher().publish("go", new byte[1]);
        // The stuck subscriber would delay a flush until the drain timeout of 30 s expires.
        assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(publishers[0].unconfirmedCount()).isPositive();
    }

    /** Publishes until a call would block, which on a worker throws an exception. */
    private static void publishUntilFull(TopicPublisher topic) {
        while (topic.publish(new byte[100]) == PublishResult.PUBLISHED) {
            assertThat(topic.publishedCount()).isLessThan(100);
        }
    }

    private static void note(Map<Thread, Throwable> errors, Runnable attempt) {
        try {
            attempt.run();
        } catch (IllegalStateException e) {
            errors.put(Thread.currentThread(), e);
        }
    }

    private static TransportException failureOf(CompletableFuture<Void> future) throws Exception {
        CompletableFuture<Throwable> failure = future.handle((nothing, raw) -> raw);
        assertThatThrownBy(() -> future.get(60, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        // Callbacks receive the failure itself, not a CompletionException.
        assertThat(failure.get()).isInstanceOf(TransportException.class);
        return (TransportException) failure.get();
    }

    private Publisher publishedToAStuckSubscriber() throws Exception {
        return publishedToAStuckSubscriber(small);
    }

    private Publisher publishedToAStuckSubscriber(ClientSettings settings) throws Exception {
        Subscriber stuck = running.opened(Subscriber.connect(running.another(), small, new SubscriberCallback() {}));
        stuck.subscribe("t", message -> awaitRelease()).ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher(settings);
        for (int i = 0; i < COUNT; i++) {
            publisher.publish("t", new byte[100]);
        }
        return publisher;
    }

    private Publisher publishedToASilentBroker(RocketBufs broker) {
        Publisher publisher = running.publisher(running.client().withBroker(RunningBroker.silent(broker)));
        for (int i = 0; i < COUNT; i++) {
            publisher.publish("t", new byte[100]);
        }
        return publisher;
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
