package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.NumberedTexts.numbers;
import static io.rocketbufs.rbmq.NumberedTexts.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.ReceivedMessage;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of consumers of flows, whose demand determines the credit of the publishers. */
@Tag("once")
@Timeout(600)
final class FlowSystemTest {
    private static final int CAPACITY = 2000;
    private static final int FRAME = 8;

    private final RunningBroker running =
            new RunningBroker("rbmq.broker.capacity = " + CAPACITY, "rbmq.broker.topics-per-filter = 2");
    private final RocketBufs subscribers = running.another();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final Subscriber subscriber = running.opened(Subscriber.connect(
            subscribers, running.subscriberSettings().withCapacities(CAPACITY, CAPACITY), new SubscriberCallback() {
                @Override
                public void onError(String topic, int publisher, Throwable error) {
                    errors.add(topic + ": " + error.getMessage());
                }
            }));

    @AfterEach
    void close() {
        running.close();
    }

    /** A consumer that records its signals and requests the number of messages that the test specifies. */
    private static class Consumer implements Flow.Subscriber<ReceivedMessage> {
        final CompletableFuture<Flow.Subscription> subscribed = new CompletableFuture<>();
        final List<String> messages = new CopyOnWriteArrayList<>();
        final CompletableFuture<Void> ended = new CompletableFuture<>();

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscribed.complete(subscription);
        }

        @Override
        public void onNext(ReceivedMessage message) {
            messages.add(message.text());
        }

        @Override
        public void onError(Throwable failure) {
            assertThat(ended.completeExceptionally(failure)).isTrue();
        }

        @Override
        public void onComplete() {
            assertThat(ended.complete(null)).isTrue();
        }

        void request(long count) {
            subscribed.join().request(count);
        }

        void cancel() {
            subscribed.join().cancel();
        }
    }

    @Test
    void shouldDeliverWhatIsRequestedAndHoldThePublisherBackMeanwhile() throws Exception {
        Consumer consumer = subscribe(subscriber.flow("t"));
        TopicPublisher publisher = publisher("t");
        int next = 0;
        boolean isPublished = true;
        // On a busy machine, publishing may time out before all buffers are full.
        while (isPublished || next < 2 * CAPACITY / FRAME) {
            isPublished = publisher.publish(text(next), 0, FRAME - Integer.BYTES, 500) == PublishResult.PUBLISHED;
            next += isPublished ? 1 : 0;
        }
        assertThat(consumer.messages).isEmpty();
        for (int count = 1; count <= 3; count++) {
            consumer.request(count);
        }
        await().until(() -> consumer.messages.size() == 6);
        passWorker();
        assertThat(consumer.messages).isEqualTo(numbers(0, 6));
        assertThat(inputs().get(0).consumedLength()).isEqualTo(6 * FRAME);
        consumer.request(Long.MAX_VALUE);
        publish(publisher, next, 1000);
        await().until(() -> consumer.messages.size() == 1000);
        assertThat(consumer.messages).isEqualTo(numbers(0, 1000));
        assertThat(subscriber.lostLength()).isZero();
    }

    @Test
    void shouldLoseNothingWhenTheConsumerRequestsOneByOneOnAnyThread() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        AtomicInteger requested = new AtomicInteger(1);
        AtomicBoolean isTooEarly = new AtomicBoolean();
        Consumer inline = new Consumer() {
            @Override
            public void onNext(ReceivedMessage message) {
                super.onNext(message);
                request(1);
            }
        };
        Consumer elsewhere = new Consumer() {
            @Override
            public void onNext(ReceivedMessage message) {
                super.onNext(message);
                if (messages.size() > requested.get()) {
                    isTooEarly.set(true);
                }
                pool.execute(() -> {
                    requested.incrementAndGet();
                    request(1);
                });
            }
        };
        subscriber.flow("t").subscribe(inline);
        subscriber.flow("t", SubscriptionOptions.DEFAULTS.withExecutor(pool)).subscribe(elsewhere);
        inline.request(1);
        elsewhere.request(1);
        awaitLive();
        publish(publisher("t"), 0, 1000);
        await().until(() -> inline.messages.size() == 1000 && elsewhere.messages.size() == 1000);
        assertThat(inline.messages).isEqualTo(numbers(0, 1000));
        assertThat(elsewhere.messages).isEqualTo(numbers(0, 1000));
        assertThat(isTooEarly).isFalse();
        running.close();
        pool.shutdown();
    }

    @Test
    void shouldSignalOnTheExecutor() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        ExecutorService pool = Executors.newSingleThreadExecutor(task -> new Thread(task, "of the application"));
        Consumer consumer = new Consumer() {
            @Override
            public void onNext(ReceivedMessage message) {
                threads.add(Thread.currentThread().getName());
                super.onNext(message);
            }

            @Override
            public void onComplete() {
                threads.add(Thread.currentThread().getName());
                super.onComplete();
            }
        };
        subscriber.flow("t/+", SubscriptionOptions.DEFAULTS.withExecutor(pool)).subscribe(consumer);
        consumer.request(2);
        awaitLive();
        publish(publisher("t/1"), 0, 10);
        await().until(() -> consumer.messages.size() == 2);
        subscriber.close();
        consumer.ended.get(60, TimeUnit.SECONDS);
        assertThat(threads).hasSize(3).containsOnly("of the application");
        assertThat(consumer.messages).isEqualTo(numbers(0, 2));
        pool.shutdown();
    }

    @Test
    void shouldSignalTheRejectionOfTheExecutor() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Consumer consumer = subscribe(subscriber.flow("t", SubscriptionOptions.DEFAULTS.withExecutor(pool)));
        consumer.request(10);
        pool.shutdown();
        publish(publisher("t"), 0, 1);
        assertThat(consumer.ended)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(RejectedExecutionException.class)
                .withMessageContaining("the executor of the subscription to \"t\" rejected its task");
    }

    @Test
    void shouldCompleteWhenTheClientIsClosed() throws Exception {
        Consumer consumer = subscribe(subscriber.flow("t"));
        subscriber.close();
        consumer.ended.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldSignalTheLossOfTheConnection() throws Exception {
        Consumer consumer = subscribe(subscriber.flow("t"));
        running.loseBroker();
        assertThat(consumer.ended)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(TransportException.class);
        Consumer late = new Consumer();
        subscriber.flow("t").subscribe(late);
        assertThat(late.subscribed).isCompleted();
        assertThat(late.ended)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(TransportException.class);
    }

    @Test
    void shouldSignalTheRefusalOfTheBroker() throws Exception {
        for (int i = 0; i < 3; i++) {
            publisher("many/" + i).announced().get(60, TimeUnit.SECONDS);
        }
        Consumer consumer = new Consumer();
        subscriber.flow("many/#").subscribe(consumer);
        assertThat(consumer.ended)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("the broker refused the subscription to \"many/#\"");
    }

    @Test
    void shouldSignalThatASubscriptionIsNotPossible() {
        Consumer first = new Consumer();
        Consumer other = new Consumer();
        Consumer late = new Consumer();
        subscriber.flow("t").subscribe(first);
        subscriber
                .flow("#", SubscriptionOptions.DEFAULTS.withSlowPolicy(SlowPolicy.SKIP))
                .subscribe(other);
        assertThat(other.ended)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("use the same policy");
        Flow.Publisher<ReceivedMessage> flow = subscriber.flow("t");
        subscriber.close();
        flow.subscribe(late);
        assertThat(late.ended)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class)
                .withMessageContaining("this subscriber is closed");
    }

    @Test
    void shouldRefuseAnInvalidFilterAtOnce() {
        assertThatThrownBy(() -> subscriber.flow("a/#/b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> subscriber.flow("t").subscribe(null)).isInstanceOf(NullPointerException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void shouldSignalARequestThatIsNotPositiveAndStop(long count) throws Exception {
        Consumer consumer = subscribe(subscriber.flow("t"));
        consumer.request(count);
        consumer.request(count);
        consumer.request(1);
        publish(publisher("t"), 0, 1);
        assertThat(consumer.ended)
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalArgumentException.class)
                .withMessageContaining(
                        "count=" + count + ": a subscriber must request at least one message (rule 3.9)");
        assertThat(consumer.messages).isEmpty();
        Consumer early = new Consumer() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                super.onSubscribe(subscription);
                subscription.request(count);
            }
        };
        subscriber.flow("t").subscribe(early);
        assertThat(early.ended).isCompletedExceptionally();
    }

    @Test
    void shouldSignalNothingAfterACancellationAndForgetTheConsumer() throws Exception {
        Consumer consumer = subscribe(subscriber.flow("t"));
        consumer.request(5);
        publish(publisher("t"), 0, 100);
        await().until(() -> consumer.messages.size() == 5);
        consumer.cancel();
        consumer.request(10);
        await().until(() -> inputs().isEmpty());
        passWorker();
        assertThat(consumer.messages).hasSize(5);
        subscriber.close();
        assertThat(consumer.ended).isNotDone();
    }

    @Test
    void shouldLetTheApplicationCollectAConsumerThatHasCancelled() {
        Flow.Publisher<ReceivedMessage> flow = subscriber.flow("t");
        Flow.Subscription[] kept = new Flow.Subscription[1];
        WeakReference<Consumer> reference = cancelled(flow, kept);
        await().until(() -> {
            System.gc();
            return reference.get() == null;
        });
        kept[0].cancel();
    }

    private static WeakReference<Consumer> cancelled(Flow.Publisher<ReceivedMessage> flow, Flow.Subscription[] kept) {
        Consumer consumer = new Consumer();
        flow.subscribe(consumer);
        consumer.request(10);
        consumer.cancel();
        kept[0] = consumer.subscribed.join();
        return new WeakReference<>(consumer);
    }

    @Test
    void shouldNotSubscribeForAConsumerThatCancelsAtOnce() throws Exception {
        Consumer consumer = new Consumer() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                super.onSubscribe(subscription);
                subscription.request(1);
                subscription.cancel();
            }
        };
        subscriber.flow("t").subscribe(consumer);
        awaitLive();
        assertThat(running.broker().state().topicCount()).isEqualTo(1); // only the topic that awaitLive uses
        assertThat(consumer.ended).isNotDone();
    }

    @Test
    void shouldCancelAndReportAConsumerThatThrows() throws Exception {
        Consumer consumer = new Consumer() {
            @Override
            public void onNext(ReceivedMessage message) {
                super.onNext(message);
                throw new IllegalStateException("a mistake");
            }
        };
        subscriber.flow("t").subscribe(consumer);
        consumer.request(10);
        awaitLive();
        publish(publisher("t"), 0, 10);
        await().until(() -> !errors.isEmpty());
        passWorker();
        assertThat(errors).containsExactly("t: a mistake");
        assertThat(consumer.messages).hasSize(1);
        assertThat(subscriber.failedCount()).isEqualTo(1);
    }

    @Test
    void shouldBeAvailableFromAClient() throws Exception {
        ClientOptions options = ClientOptions.defaults().withBrokers(HostPort.of(running.address()));
        try (RbmqClient client = RbmqClient.connect(options)) {
            Consumer consumer = new Consumer();
            client.flow("t").subscribe(consumer);
            consumer.request(1);
            client.subscribe("live", message -> {}).ready().get(60, TimeUnit.SECONDS);
            client.publish("t", "hello");
            await().until(() -> consumer.messages.equals(List.of("hello")));
        }
    }

    private Consumer subscribe(Flow.Publisher<ReceivedMessage> flow) throws Exception {
        Consumer consumer = new Consumer();
        flow.subscribe(consumer);
        awaitLive();
        return consumer;
    }

    /** Waits until the broker has accepted all subscriptions so far, which follows from the order of its replies. */
    private void awaitLive() throws Exception {
        subscriber.subscribe("live", message -> {}).ready().get(60, TimeUnit.SECONDS);
    }

    /** Waits until the subscriber's worker has handled all data that it has received so far. */
    private void passWorker() throws Exception {
        awaitLive();
    }

    private TopicPublisher publisher(String topic) {
        return running.publisher(running.publisherSettings().withCapacities(CAPACITY, CAPACITY))
                .topic(topic);
    }

    private static void publish(TopicPublisher publisher, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(publisher.publish(text(i))).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    private List<InputState> inputs() {
        return subscribers.metrics().connections().stream()
                .flatMap(connection -> connection.inputs().stream())
                .toList();
    }
}
