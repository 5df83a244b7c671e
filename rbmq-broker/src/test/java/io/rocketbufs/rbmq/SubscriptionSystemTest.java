package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.NumberedTexts.number;
import static io.rocketbufs.rbmq.NumberedTexts.numbers;
import static io.rocketbufs.rbmq.NumberedTexts.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.metrics.InputState;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of one subscriber's subscriptions that share a topic, are paused, or end. */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class SubscriptionSystemTest {
    /** Small enough that a thousand messages fill the buffers of subscriber, broker and publisher. */
    private static final int CAPACITY = 2000;

    private static final int FRAME = 8;

    private final RunningBroker running;
    private final RocketBufs subscribers;
    private final Subscriber subscriber;
    private final Messages messages = new Messages();
    private final List<String> events = new CopyOnWriteArrayList<>();

    SubscriptionSystemTest(TransportPair pair) {
        String[] settings = pair.settings().toArray(new String[pair.settings().size() + 1]);
        settings[settings.length - 1] = "rbmq.broker.capacity = " + CAPACITY;
        running = new RunningBroker(settings);
        subscribers = running.opened(RocketBufs.open(RunningBroker.config(settings)));
        SubscriberCallback callback = new SubscriberCallback() {
            @Override
            public void onPublisherEnd(String topic, int publisher, String failure) {
                events.add("end");
            }

            @Override
            public void onError(String topic, int publisher, Throwable error) {
                events.add("error " + error.getMessage());
            }
        };
        subscriber = running.opened(Subscriber.connect(
                subscribers, running.subscriberSettings().withCapacities(CAPACITY, CAPACITY), callback));
    }

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldHandEachMessageToEveryMatchingSubscriptionButReceiveItOnce() throws Exception {
        Messages second = new Messages();
        Messages filtered = new Messages();
        Subscription first = live(subscriber.subscribe("t/1", messages));
        live(subscriber.subscribe("t/1", second));
        live(subscriber.subscribe("t/#", filtered));
        publish(publisher("t/1"), 0, 100);
        await().until(() -> filtered.count() == 100 && second.count() == 100 && messages.count() == 100);
        assertThat(messages.texts()).isEqualTo(numbers(0, 100));
        assertThat(second.texts()).isEqualTo(numbers(0, 100));
        assertThat(filtered.texts()).isEqualTo(numbers(0, 100));
        await().until(() -> subscriber.receivedCount() == 300);
        assertThat(first.receivedCount()).isEqualTo(100);
        assertThat(first.receivedLength()).isEqualTo(100 * (FRAME - Integer.BYTES));
        assertThat(inputs())
                .singleElement()
                .satisfies(input -> assertThat(input.receivedLength()).isEqualTo(100 * FRAME));
    }

    @Test
    void shouldHoldThePublisherBackWhilePausedAndContinueWithoutLoss() throws Exception {
        Subscription subscription = live(subscriber.subscribe("t", messages));
        TopicPublisher publisher = publisher("t");
        publish(publisher, 0, 10);
        await().until(() -> messages.count() == 10);
        subscription.pause();
        AtomicInteger next = new AtomicInteger(10);
        await().until(() -> {
            while (publisher.tryPublish(text(next.get())) == PublishResult.PUBLISHED) {
                next.incrementAndGet();
            }
            return next.get() >= 2 * CAPACITY / FRAME;
        });
        assertThat(messages.count()).isEqualTo(10);
        assertThat(subscription.isPaused()).isTrue();
        assertThat(next.get()).isLessThanOrEqualTo(10 + 3 * CAPACITY / FRAME); // the buffers are full
        subscription.resume();
        publish(publisher, next.get(), 1000);
        await().until(() -> messages.count() == 1000);
        assertThat(messages.texts()).isEqualTo(numbers(0, 1000));
        assertThat(subscription.lostLength()).isZero();
    }

    @Test
    void shouldStopAfterTheMessageAtWhichTheHandlerPauses() throws Exception {
        CompletableFuture<Subscription> own = new CompletableFuture<>();
        Subscription subscription = live(subscriber.subscribe("t", message -> {
            messages.onMessage(message);
            if (messages.count() % 30 == 0) {
                own.join().pause();
            }
        }));
        own.complete(subscription);
        publish(publisher("t"), 0, 100);
        for (int count = 30; count <= 90; count += 30) {
            int expected = count;
            await().until(() -> subscription.isPaused() && messages.count() == expected);
            await().until(() -> inputs().get(0).receivedLength() == 100 * FRAME);
            passWorker();
            assertThat(messages.texts()).isEqualTo(numbers(0, expected));
            assertThat(inputs().get(0).consumedLength()).isEqualTo((long) expected * FRAME);
            assertThat(subscription.receivedCount()).isEqualTo(expected);
            subscription.resume();
        }
        await().until(() -> messages.count() == 100);
        assertThat(messages.texts()).isEqualTo(numbers(0, 100));
    }

    @Test
    void shouldLoseNothingWhenManyThreadsPauseAndResume() throws Exception {
        Messages other = new Messages();
        Subscription subscription = live(subscriber.subscribe("t", messages));
        Subscription shared = live(subscriber.subscribe("t", other));
        List<Thread> threads = IntStream.range(0, 3)
                .mapToObj(i -> new Thread(() -> {
                    Subscription one = i == 0 ? shared : subscription;
                    while (messages.count() < 1000 || other.count() < 1000) {
                        one.pause();
                        one.resume();
                        Thread.yield();
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        publish(publisher("t"), 0, 1000);
        for (Thread thread : threads) {
            thread.join();
        }
        await().until(() -> messages.count() == 1000 && other.count() == 1000);
        assertThat(messages.texts()).isEqualTo(numbers(0, 1000));
        assertThat(other.texts()).isEqualTo(numbers(0, 1000));
    }

    @Test
    void shouldHandTheMessageAtWhichOnePausesToAllAndNoneAfterItToAny() throws Exception {
        CompletableFuture<Subscription> own = new CompletableFuture<>();
        Messages other = new Messages();
        Subscription pausing = live(subscriber.subscribe("t", message -> {
            messages.onMessage(message);
            if (messages.count() == 10) {
                own.join().pause();
            }
        }));
        live(subscriber.subscribe("t", other));
        own.complete(pausing);
        publish(publisher("t"), 0, 100);
        await().until(() -> other.count() == 10);
        await().until(() -> inputs().get(0).receivedLength() == 100 * FRAME);
        passWorker();
        assertThat(other.count()).isEqualTo(10);
        pausing.resume();
        await().until(() -> other.count() == 100 && messages.count() == 100);
        assertThat(messages.texts()).isEqualTo(numbers(0, 100));
        assertThat(other.texts()).isEqualTo(numbers(0, 100));
    }

    @Test
    void shouldContinueWithTheOthersWhenAPausedSubscriptionIsClosed() throws Exception {
        Messages other = new Messages();
        Subscription paused = live(subscriber.subscribe("t", messages));
        live(subscriber.subscribe("#", other));
        paused.pause();
        publish(publisher("t"), 0, 100);
        await().until(() -> !inputs().isEmpty() && inputs().get(0).receivedLength() == 100 * FRAME);
        passWorker();
        assertThat(other.count()).isZero();
        paused.close();
        await().until(() -> other.count() == 100);
        assertThat(other.texts()).isEqualTo(numbers(0, 100));
        assertThat(messages.count()).isZero();
        assertThat(paused.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        paused.resume();
        passWorker();
        assertThat(messages.count()).isZero();
    }

    @Test
    void shouldServeOthersBetweenTheTopicsThatHaveWaited() throws Exception {
        Subscription other = live(subscriber.subscribe("other", message -> events.add("other")));
        Subscription filtered = live(subscriber.subscribe("t/+", message -> {
            if (events.isEmpty()) {
                other.resume(); // its task follows the task that is running
            }
            events.add(message.topic());
        }));
        other.pause();
        filtered.pause();
        for (String topic : List.of("t/1", "t/2", "other")) {
            publish(publisher(topic), 0, 10);
        }
        await().until(() ->
                inputs().size() == 3 && inputs().stream().allMatch(input -> input.receivedLength() == 10 * FRAME));
        passWorker();
        filtered.resume();
        await().until(() -> events.size() == 30);
        assertThat(events.subList(0, 10)).containsOnly(events.get(0));
        assertThat(events.subList(10, 20)).containsOnly("other");
        assertThat(events.subList(20, 30)).containsOnly(events.get(0).equals("t/1") ? "t/2" : "t/1");
    }

    @Test
    void shouldServeOthersBetweenTheTopicsThatHaveWaitedForAClosedSubscription() throws Exception {
        Subscription other = live(subscriber.subscribe("other", message -> events.add("other")));
        live(subscriber.subscribe("t/#", message -> {
            if (events.isEmpty()) {
                other.resume();
            }
            events.add(message.topic());
        }));
        Subscription paused = live(subscriber.subscribe("t/+", messages));
        other.pause();
        paused.pause();
        for (String topic : List.of("t/1", "t/2", "other")) {
            publish(publisher(topic), 0, 10);
        }
        await().until(() ->
                inputs().size() == 3 && inputs().stream().allMatch(input -> input.receivedLength() == 10 * FRAME));
        passWorker();
        paused.close();
        await().until(() -> events.size() == 30);
        assertThat(events.subList(10, 20)).containsOnly("other");
        assertThat(messages.count()).isZero();
    }

    @Test
    void shouldHandASubscriptionOnlyTheMessagesPublishedAfterItBegan() throws Exception {
        Messages later = new Messages();
        Subscription paused = live(subscriber.subscribe("t", messages));
        paused.pause();
        TopicPublisher publisher = publisher("t");
        publish(publisher, 0, 10);
        await().until(() -> !inputs().isEmpty() && inputs().get(0).receivedLength() == 10 * FRAME);
        passWorker();
        Subscription joining = live(subscriber.subscribe("#", later));
        publish(publisher, 10, 20);
        await().until(() -> inputs().get(0).receivedLength() == 20 * FRAME);
        passWorker();
        paused.resume();
        await().until(() -> messages.count() == 20 && later.count() == 10);
        assertThat(messages.texts()).isEqualTo(numbers(0, 20));
        assertThat(later.texts()).isEqualTo(numbers(10, 20));
        publish(publisher, 20, 30);
        await().until(() -> messages.count() == 30 && later.count() == 20);
        assertThat(joining.receivedCount()).isEqualTo(20);
    }

    @Test
    void shouldNotHandASubscriptionTheMessagesThatWaitedForAClosedOne() throws Exception {
        Messages later = new Messages();
        Subscription paused = live(subscriber.subscribe("t", messages));
        CompletableFuture<Subscription> joining = new CompletableFuture<>();
        // A handler closes the subscription, so that the next request overtakes the end of the subscription.
        live(subscriber.subscribe("go", message -> {
            paused.close();
            joining.complete(subscriber.subscribe("t", later));
        }));
        paused.pause();
        TopicPublisher publisher = publisher("t");
        publish(publisher, 0, 10);
        await().until(() -> !inputs().isEmpty() && inputs().get(0).receivedLength() == 10 * FRAME);
        passWorker();
        publish(publisher("go"), 0, 1);
        live(joining.get(60, TimeUnit.SECONDS));
        publish(publisher, 10, 20);
        await().until(() -> later.count() >= 10);
        assertThat(later.texts()).isEqualTo(numbers(10, 20));
        assertThat(messages.count()).isZero();
    }

    @Test
    void shouldReportTheEndOfAPublisherAfterThePauseEvenIfNoMessageWaits() throws Exception {
        Subscription subscription = live(subscriber.subscribe("t", recorder()));
        subscription.pause();
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            publisher.topic("t").announced().get(60, TimeUnit.SECONDS);
        }
        await().until(() -> running.broker().state().publisherCount() == 0);
        passWorker();
        assertThat(events).isEmpty();
        subscription.resume();
        await().until(() -> events.contains("end"));
    }

    @Test
    void shouldReportAGapInOrderWithTheMessagesThatWaited() throws Exception {
        SubscriptionOptions options = SubscriptionOptions.DEFAULTS
                .withSlowPolicy(SlowPolicy.SKIP)
                .withGapHandler(gap -> events.add("gap " + gap.lostLength() / FRAME));
        Subscription subscription = live(subscriber.subscribe("t", recorder(), options));
        subscription.pause();
        TopicPublisher publisher = publisher("t");
        // More than all buffers combined can hold, so the broker skips messages.
        publish(publisher, 0, 2000);
        passWorker();
        assertThat(events).isEmpty();
        subscription.resume();
        await().until(() -> {
            publish(publisher, 9999, 10_000);
            return events.contains("9999");
        });
        List<String> all = List.copyOf(events); // further events may follow
        List<String> seen = all.subList(0, all.indexOf("9999"));
        int next = 0;
        for (String event : seen) {
            if (event.startsWith("gap ")) {
                next += Integer.parseInt(event.substring(4));
            } else {
                assertThat(event).isEqualTo(number(next));
                next++;
            }
        }
        assertThat(next).as("messages and gaps in %s", seen).isGreaterThanOrEqualTo(2000);
        assertThat(seen).anyMatch(event -> event.startsWith("gap "));
        assertThat(seen.get(0)).isEqualTo("0000");
        assertThat(subscription.lostLength()).isEqualTo(subscriber.lostLength()).isPositive();
    }

    @Test
    void shouldReportTheEndOfAPublisherAfterTheMessagesThatWaited() throws Exception {
        Subscription subscription = live(subscriber.subscribe("t", recorder()));
        subscription.pause();
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            publish(publisher.topic("t"), 0, 10);
        }
        await().until(() -> running.broker().state().publisherCount() == 0 && running.brokersPendingLength() == 0);
        await().until(() -> inputs().get(0).receivedLength() == 10 * FRAME);
        passWorker();
        assertThat(events).isEmpty();
        subscription.resume();
        await().until(() -> events.contains("end"));
        assertThat(events).containsExactlyElementsOf(concat(numbers(0, 10), "end"));
        await().until(() -> inputs().isEmpty());
    }

    @Test
    void shouldReportMessagesThatWaitedAsAGapWhenTheConnectionIsLost() throws Exception {
        SubscriptionOptions options =
                SubscriptionOptions.DEFAULTS.withGapHandler(gap -> events.add("gap " + gap.lostLength()));
        Subscription subscription = live(subscriber.subscribe("t", messages, options));
        TopicPublisher publisher = publisher("t");
        publish(publisher, 0, 1);
        await().until(() -> messages.count() == 1);
        subscription.pause();
        publish(publisher, 1, 11);
        await().until(() -> inputs().get(0).receivedLength() == 11 * FRAME);
        running.loseBroker();
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(events).containsExactly("gap " + 10 * FRAME);
        assertThat(subscription.lostLength()).isEqualTo(10 * FRAME);
    }

    @Test
    void shouldIgnoreAResumeAfterTheConnectionIsLost() throws Exception {
        CompletableFuture<Void> handling = new CompletableFuture<>();
        CompletableFuture<Void> release = new CompletableFuture<>();
        Subscription paused = live(subscriber.subscribe("t", messages));
        live(subscriber.subscribe("go", message -> {
            handling.complete(null);
            release.join();
        }));
        paused.pause();
        publish(publisher("t"), 0, 10);
        await().until(() -> !inputs().isEmpty() && inputs().get(0).receivedLength() == 10 * FRAME);
        passWorker();
        publish(publisher("go"), 0, 1);
        handling.get(60, TimeUnit.SECONDS);
        // The broker ends before it can reply to the request to end the subscription.
        paused.close();
        running.loseBroker();
        release.complete(null);
        assertThat(paused.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        try (LoggedLines logged = new LoggedLines()) {
            paused.resume();
            assertThat(subscribers.unresponsiveWorkers(60_000)).isEmpty(); // a worker runs its tasks in order
            assertThat(logged.with("A task failed")).isEmpty();
        }
        assertThat(messages.count()).isZero();
        // The broker may lose the publisher first and then report the end of the publisher's buffer for topic "go".
        assertThat(events).allMatch("end"::equals);
    }

    @Test
    void shouldRefuseAnotherPolicyForTheSameTopicUntilTheFirstSubscriptionIsClosed() throws Exception {
        Subscription skipping = live(subscriber.subscribe("a/+", messages, SlowPolicy.SKIP));
        assertThatThrownBy(() -> subscriber.subscribe("#", messages, SlowPolicy.BLOCK))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("filter=\"#\" with slow policy BLOCK can match a topic of filter=\"a/+\" with slow policy"
                        + " SKIP; use the same policy, or another Subscriber");
        assertThatThrownBy(() -> subscriber.subscribe("a/b", messages))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("filter=\"a/b\" with the broker's slow policy");
        live(subscriber.subscribe("b/+", messages, SlowPolicy.BLOCK));
        TopicPublisher publisher = publisher("a/b");
        publish(publisher, 0, 1);
        await().until(() -> messages.count() == 1);
        Messages blocking = new Messages();
        skipping.close();
        live(subscriber.subscribe("a/b", blocking, SlowPolicy.BLOCK));
        publish(publisher, 1, 1000);
        await().until(() -> blocking.count() == 999);
        assertThat(blocking.texts()).isEqualTo(numbers(1, 1000));
        assertThat(messages.count()).isEqualTo(1);
    }

    @Test
    void shouldEndSubscriptionsThatAreClosedBeforeTheBrokerAnswers() throws Exception {
        List<Subscription> closed = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> done = new CompletableFuture<>();
        // A handler occupies the worker, which therefore cannot receive the broker's replies.
        live(subscriber.subscribe("go", message -> {
            for (int i = 0; i < 100; i++) {
                Subscription subscription = subscriber.subscribe(i % 2 == 0 ? "t" : "t/#", messages);
                subscription.close();
                subscription.close();
                closed.add(subscription);
            }
            done.complete(null);
        }));
        publish(publisher("go"), 0, 1);
        done.get(60, TimeUnit.SECONDS);
        for (Subscription subscription : closed) {
            assertThat(subscription.ready()).isCompletedExceptionally();
            subscription.closed().get(60, TimeUnit.SECONDS);
        }
        assertThat(subscriber.isConnected()).isTrue();
        live(subscriber.subscribe("t", messages));
        publish(publisher("t"), 0, 10);
        await().until(() -> messages.count() == 10);
    }

    @Test
    void shouldContinueWithTheOtherHandlersWhenOneThrows() throws Exception {
        Subscription failing = live(subscriber.subscribe("t", message -> {
            throw new IllegalStateException("a mistake");
        }));
        Subscription other = live(subscriber.subscribe("t", messages));
        publish(publisher("t"), 0, 10);
        await().until(() -> messages.count() == 10);
        await().until(() -> failing.receivedCount() == 10);
        assertThat(failing.failedCount()).isEqualTo(10);
        assertThat(other.failedCount()).isZero();
        assertThat(subscriber.failedCount()).isEqualTo(10);
        assertThat(events).hasSize(10).containsOnly("error a mistake");
        failing.close();
        failing.closed().get(60, TimeUnit.SECONDS);
        assertThat(subscriber.failedCount()).isEqualTo(10);
    }

    private MessageHandler recorder() {
        return message -> events.add(new String(message.toBytes(), UTF_8));
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
        return running.publisher(running.publisherSettings().withCapacities(CAPACITY, CAPACITY))
                .topic(topic);
    }

    private static void publish(TopicPublisher publisher, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(publisher.publish(text(i))).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    /** Returns the subscriber's buffers. */
    private List<InputState> inputs() {
        return subscribers.metrics().connections().stream()
                .flatMap(connection -> connection.inputs().stream())
                .toList();
    }

    private static List<String> concat(List<String> first, String last) {
        List<String> all = new CopyOnWriteArrayList<>(first);
        all.add(last);
        return all;
    }
}
