package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.NumberedTexts.number;
import static io.rocketbufs.rbmq.NumberedTexts.numbers;
import static io.rocketbufs.rbmq.NumberedTexts.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.ReceivedMessage;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of subscriptions whose handlers run on an executor of the application and block. */
@Tag("once")
@Timeout(600)
final class ExecutorSubscriptionSystemTest {
    /** Small enough that a thousand messages fill the buffers of subscriber, broker and publisher. */
    private static final int CAPACITY = 2000;

    private static final int LENGTH = 4;
    private static final int FRAME = 4 + LENGTH;
    private static final int QUEUED = 10;

    private final RunningBroker running = new RunningBroker("rbmq.broker.capacity = " + CAPACITY);
    private final RocketBufs subscribers = running.another();
    private final ExecutorService pool =
            Executors.newFixedThreadPool(4, task -> new Thread(task, "pool of the application"));
    private final Messages messages = new Messages();
    private final List<String> events = new CopyOnWriteArrayList<>();
    /** Permits for the calls of {@link #blocking}. */
    private final Semaphore permits = new Semaphore(0);

    private final MessageHandler blocking = message -> {
        permits.acquireUninterruptibly();
        messages.onMessage(message);
    };
    private final SubscriptionOptions onPool =
            SubscriptionOptions.DEFAULTS.withExecutor(pool).withQueueCapacity(QUEUED * (64 + LENGTH));
    private final Subscriber subscriber = running.opened(Subscriber.connect(
            subscribers, running.subscriberSettings().withCapacities(CAPACITY, CAPACITY), new SubscriberCallback() {
                @Override
                public void onGap(Gap gap) {
                    events.add("gap of " + gap.topic());
                }

                @Override
                public void onError(String topic, int publisher, Throwable error) {
                    events.add((subscribers.isWorkerThread() ? "" : "not on a worker: ") + topic + " " + publisher + " "
                            + error.getMessage());
                }
            }));

    @AfterEach
    void close() {
        permits.release(1_000_000);
        running.close();
        pool.shutdownNow();
    }

    @Test
    void shouldHandleEveryMessageInOrderOneAtATimeOnTheExecutor() throws Exception {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        AtomicInteger callsInProgress = new AtomicInteger();
        List<Integer> overlaps = new CopyOnWriteArrayList<>();
        List<ReceivedMessage> kept = new CopyOnWriteArrayList<>();
        Subscription subscription = live(subscriber.subscribe(
                "t/#",
                message -> {
                    if (callsInProgress.incrementAndGet() > 1) {
                        overlaps.add(messages.count());
                    }
                    threads.add(Thread.currentThread().getName());
                    messages.onMessage(message);
                    assertThat(message.headers().getLong("n", -1)).isEqualTo(Integer.parseInt(message.text()));
                    assertThat(message.vecCount()).isEqualTo(1);
                    assertThat(UTF_8.decode(message.vec(0)).toString()).isEqualTo(message.text());
                    if (messages.count() <= 2) {
                        kept.add(message.copy());
                    }
                    callsInProgress.decrementAndGet();
                },
                onPool));
        TopicPublisher publisher = publisher("t/1");
        for (int i = 0; i < 1000; i++) {
            publisher.publish(new Headers().set("n", i), text(i));
        }
        await().until(() -> messages.count() == 1000);
        assertThat(messages.texts()).isEqualTo(numbers(0, 1000));
        assertThat(threads).containsExactly("pool of the application");
        assertThat(overlaps).isEmpty();
        await().until(() -> subscription.receivedCount() == 1000);
        assertThat(subscription.receivedLength()).isEqualTo(1000 * LENGTH);
        assertThat(subscription.failedCount()).isZero();
        ReceivedMessage second = kept.get(1);
        assertThat(second.topic()).isEqualTo("t/1");
        assertThat(second.publisher()).isPositive();
        assertThat(second.text()).isEqualTo("0001");
        assertThat(second.length()).isEqualTo(LENGTH);
        assertThat(second.toBytes()).isEqualTo(text(1));
        assertThat(UTF_8.decode(second.buffer()).toString()).isEqualTo("0001");
        assertThat(second.headers().get("n")).isEqualTo("1");
    }

    @Test
    void shouldHoldThePublisherBackWhileTheQueueIsFullAndContinueWithoutLoss() throws Exception {
        Subscription subscription = live(subscriber.subscribe("t", blocking, onPool));
        TopicPublisher publisher = publisher("t");
        int next = publishUntilFull(publisher);
        assertThat(messages.count()).isZero();
        assertThat(subscription.isPaused()).isFalse();
        // The message that the handler is processing counts towards the queue until the handler returns.
        await().until(() -> inputs().get(0).consumedLength() == QUEUED * FRAME);
        permits.release(1);
        await().until(() -> inputs().get(0).consumedLength() == (QUEUED + 1) * FRAME);
        permits.release(1000);
        publish(publisher, next, 1000);
        await().until(() -> messages.count() == 1000);
        assertThat(messages.texts()).isEqualTo(numbers(0, 1000));
        assertThat(subscription.lostLength()).isZero();
    }

    @Test
    void shouldStayPausedWhenTheQueueEmpties() throws Exception {
        Subscription subscription = live(subscriber.subscribe("t", blocking, onPool));
        publish(publisher("t"), 0, 100);
        await().until(() -> !inputs().isEmpty() && inputs().get(0).receivedLength() == 100 * FRAME);
        await().until(() -> inputs().get(0).consumedLength() == QUEUED * FRAME);
        subscription.pause();
        permits.release(100);
        await().until(() -> messages.count() == QUEUED);
        passWorker();
        assertThat(messages.count()).isEqualTo(QUEUED);
        subscription.resume();
        await().until(() -> messages.count() == 100);
        assertThat(messages.texts()).isEqualTo(numbers(0, 100));
    }

    @Test
    void shouldServeEveryPublisherWhenTheQueueIsAlwaysFull() throws Exception {
        live(subscriber.subscribe("t", blocking, onPool.withQueueCapacity(1)));
        // The first publisher always has waiting messages, because they cannot be consumed as fast as it publishes.
        publishUntilFull(publisher("t"));
        TopicPublisher second = publisher("t");
        publish(second, 8000, 8003);
        await().until(() -> inputs().size() == 2 && inputs().stream().allMatch(input -> input.receivedLength() > 0));
        passWorker();
        permits.release(20);
        await().until(() -> messages.count() == 20);
        assertThat(messages.texts()).containsSubsequence("8000", "8001", "8002");
    }

    @Test
    void shouldReportGapsInOrderWithTheMessages() throws Exception {
        MessageHandler recorder = message -> {
            permits.acquireUninterruptibly();
            events.add(message.text());
        };
        live(subscriber.subscribe(
                "t", recorder, onPool.withSlowPolicy(SlowPolicy.SKIP).withGapHandler(gap -> {
                    permits.acquireUninterruptibly();
                    events.add("missed " + gap.lostLength() / FRAME);
                })));
        TopicPublisher publisher = publisher("t");
        publish(publisher, 0, 2000); // more than all buffers hold
        permits.release(1_000_000);
        await().until(() -> {
            publish(publisher, 9999, 10_000);
            return events.contains("9999");
        });
        int next = 0;
        List<String> seen = List.copyOf(events); // further events may follow
        for (String event : seen.subList(0, seen.indexOf("9999"))) {
            if (event.startsWith("missed ")) {
                next += Integer.parseInt(event.substring("missed ".length()));
            } else if (!event.equals("gap of t")) {
                assertThat(event).isEqualTo(number(next));
                next++;
            }
        }
        assertThat(next).isGreaterThanOrEqualTo(2000);
        assertThat(events).anyMatch(event -> event.startsWith("missed "));
    }

    @Test
    void shouldCountAndReportAHandlersExceptionAndContinue() throws Exception {
        Subscription subscription = live(subscriber.subscribe(
                "t",
                message -> {
                    messages.onMessage(message);
                    throw new IllegalStateException("a mistake");
                },
                onPool));
        publish(publisher("t"), 0, 100);
        await().until(() -> events.size() == 100);
        assertThat(messages.texts()).isEqualTo(numbers(0, 100));
        assertThat(subscription.failedCount()).isEqualTo(100);
        assertThat(subscriber.failedCount()).isEqualTo(100);
        assertThat(events).allMatch(event -> event.matches("t [1-9]\\d* a mistake"));
    }

    @Test
    void shouldCloseTheConnectionWhenTheGapHandlerThrows() throws Exception {
        Subscription subscription = live(subscriber.subscribe(
                "t", blocking, onPool.withSlowPolicy(SlowPolicy.SKIP).withGapHandler(gap -> {
                    throw new IllegalStateException("a mistake");
                })));
        publish(publisher("t"), 0, 2000);
        permits.release(1_000_000);
        assertThat(subscriber.closed())
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("a mistake");
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldEndTheSubscriptionWithAnErrorThatNamesItWhenTheExecutorRejects() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        Messages shared = new Messages();
        Subscription rejected = live(subscriber.subscribe("t", messages, onPool.withExecutor(other)));
        Subscription sharing = live(subscriber.subscribe("t", shared));
        TopicPublisher publisher = publisher("t");
        publish(publisher, 0, 1);
        await().until(() -> messages.count() == 1);
        other.shutdown();
        assertThat(other.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        publish(publisher, 1, 1000);
        await().until(() -> shared.count() == 1000);
        assertThat(rejected.closed())
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(RejectedExecutionException.class)
                .withMessageContaining("the executor of the subscription to \"t\" rejected its task");
        assertThat(events)
                .singleElement()
                .asString()
                .startsWith(
                        "t 0 the executor of the subscription to \"t\" rejected its task, so the subscription ends; ");
        assertThat(rejected.lostLength()).isPositive().isEqualTo(subscriber.lostLength());
        assertThat(sharing.receivedCount()).isEqualTo(1000);
        assertThat(messages.count()).isEqualTo(1);
        live(subscriber.subscribe("t", messages, onPool));
        publish(publisher, 1000, 1001);
        await().until(() -> messages.count() == 2);
    }

    @Test
    void shouldHandleWhatTheQueueHoldsAndReportTheRestAsAGapWhenTheConnectionIsLost() throws Exception {
        Subscription subscription = live(subscriber.subscribe(
                "t", blocking, onPool.withGapHandler(gap -> events.add("missed " + gap.lostLength()))));
        publish(publisher("t"), 0, 100);
        await().until(() -> !inputs().isEmpty() && inputs().get(0).receivedLength() == 100 * FRAME);
        await().until(() -> inputs().get(0).consumedLength() == QUEUED * FRAME);
        running.loseBroker();
        await().until(() -> subscriber.closed().isDone());
        assertThat(subscription.closed()).isNotDone();
        assertThat(events).containsExactly("gap of t");
        permits.release(1000);
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(messages.texts()).isEqualTo(numbers(0, QUEUED));
        assertThat(events).containsExactly("gap of t", "missed " + (100 - QUEUED) * FRAME);
        assertThat(subscription.lostLength()).isEqualTo((100 - QUEUED) * FRAME);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldDiscardWhatTheQueueHoldsWhenClosedAfterTheConnectionIsLost(boolean isClientClosed) throws Exception {
        Subscription subscription = live(subscriber.subscribe("t", blocking, onPool));
        publish(publisher("t"), 0, 100);
        await().until(() -> !inputs().isEmpty() && inputs().get(0).receivedLength() == 100 * FRAME);
        await().until(() -> inputs().get(0).consumedLength() == QUEUED * FRAME);
        running.loseBroker();
        await().until(() -> subscriber.closed().isDone());
        if (isClientClosed) {
            subscriber.close();
        } else {
            subscription.close();
        }
        permits.release(1000);
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(messages.count()).isEqualTo(1); // only the call that was in progress
    }

    @Test
    void shouldCloseWhenThePoolWasStoppedAndHasDroppedTheTask() throws Exception {
        ExecutorService other = Executors.newSingleThreadExecutor();
        CompletableFuture<Void> busy = new CompletableFuture<>();
        other.execute(busy::join);
        Subscription subscription = live(subscriber.subscribe("t", messages, onPool.withExecutor(other)));
        publish(publisher("t"), 0, 5);
        await().until(() -> subscription.receivedCount() == 5);
        assertThat(other.shutdownNow()).hasSize(1);
        subscription.close();
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        busy.complete(null);
        assertThat(messages.count()).isZero();
    }

    @Test
    void shouldDiscardWhatTheQueueHoldsWhenClosed() throws Exception {
        CompletableFuture<Void> handling = new CompletableFuture<>();
        Subscription subscription = live(subscriber.subscribe(
                "t",
                message -> {
                    handling.complete(null);
                    blocking.onMessage(message);
                },
                onPool));
        publish(publisher("t"), 0, 100);
        handling.get(60, TimeUnit.SECONDS);
        subscription.close();
        passWorker();
        assertThat(subscription.closed()).isNotDone();
        permits.release(1000);
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(messages.count()).isEqualTo(1);
        assertThat(subscription.lostLength()).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void shouldCloseTheClientInAHandlerOnTheExecutor() throws Exception {
        Subscription subscription = live(subscriber.subscribe(
                "t",
                message -> {
                    subscriber.close();
                    messages.onMessage(message);
                },
                onPool));
        publish(publisher("t"), 0, 100);
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(subscriber.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(messages.count()).isEqualTo(1);
    }

    private static Subscription live(Subscription subscription) throws Exception {
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    /** Waits until the subscriber's worker has handled all data that it has received so far. */
    private void passWorker() throws Exception {
        Subscription marker = live(subscriber.subscribe("marker", messages));
        marker.close();
        marker.closed().get(60, TimeUnit.SECONDS);
    }

    private TopicPublisher publisher(String topic) {
        Publisher publisher = running.publisher(running.publisherSettings().withCapacities(CAPACITY, CAPACITY));
        return publisher.topic(topic);
    }

    private static void publish(TopicPublisher publisher, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(publisher.publish(text(i))).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    /** Publishes until all buffers are full; returns the number of messages. */
    private static int publishUntilFull(TopicPublisher publisher) {
        int next = 0;
        boolean isPublished = true;
        // On a busy machine, publishing may time out before all buffers are full.
        while (isPublished || next < 2 * CAPACITY / FRAME) {
            isPublished = publisher.publish(text(next), 0, LENGTH, 500) == PublishResult.PUBLISHED;
            next += isPublished ? 1 : 0;
        }
        return next;
    }

    /** Returns the subscriber's buffers. */
    private List<InputState> inputs() {
        return subscribers.metrics().connections().stream()
                .flatMap(connection -> connection.inputs().stream())
                .toList();
    }
}
