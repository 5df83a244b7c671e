package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.Continuity.FRAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.RbmqClientMetrics;
import io.rocketbufs.rbmq.client.ReceivedMessage;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the handlers and callbacks of a subscriber that reconnects. */
@Tag("once")
@Timeout(600)
final class ReconnectHandlersSystemTest extends ReconnectFixture {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    @Override
    @AfterEach
    void close() {
        super.close();
        pool.shutdownNow();
    }

    private ClientSettings cuttable() {
        return cuttable(running.subscriberSettings());
    }

    private static List<Long> numbers(long end) {
        return LongStream.range(0, end).boxed().toList();
    }

    // Tests of handlers.

    @Test
    void shouldHandleEachMessageOnceAndInOrderOnAnExecutorWhoseQueueIsFullWhenTheConnectionIsCut() throws Exception {
        start("rbmq.broker.keep = 1 MiB");
        Semaphore permits = new Semaphore(0);
        List<Long> handled = Collections.synchronizedList(new ArrayList<>());
        Subscription subscription = live(subscriber()
                .subscribe(
                        "t",
                        message -> {
                            permits.acquireUninterruptibly();
                            handled.add(message.getLong(0));
                        },
                        SubscriptionOptions.DEFAULTS.withExecutor(pool).withQueueCapacity(10 * (64 + 8))));
        TopicPublisher topic = topic("t");
        for (int cut = 1; cut <= 5; cut++) {
            Continuity.publish(topic, 100 * (cut - 1), 100 * cut);
            int taken = 50 * (cut - 1) + 1;
            await().until(() -> subscription.receivedCount() >= taken);
            proxy.cut();
            awaitReconnected(cut);
            permits.release(50);
        }
        permits.release(1000);
        await().until(() -> handled.size() >= 500);
        assertThat(handled).isEqualTo(numbers(500));
        assertThat(seen.gaps()).isEmpty();
        assertThat(subscription.receivedCount()).isEqualTo(500);
    }

    @Test
    void shouldReportGapsInOrderWithTheMessagesOnAnExecutor() throws Exception {
        start();
        List<String> order = new CopyOnWriteArrayList<>();
        SubscriptionOptions options = SubscriptionOptions.DEFAULTS
                .withExecutor(pool)
                .withGapHandler(gap -> order.add(gap.reason() + " " + gap.lostLength() / FRAME));
        live(subscriber().subscribe("t", message -> order.add("" + message.getLong(0)), options));
        Publisher publisher = running.publisher();
        TopicPublisher topic = publisher.topic("t");
        Continuity.publish(topic, 0, 2);
        await().until(() -> order.size() == 2);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Continuity.publish(topic, 2, 5);
        assertThat(publisher.flush(60_000)).isTrue();
        proxy.mend();
        awaitReconnected(1);
        await().until(() -> order.size() == 3);
        Continuity.publish(topic, 5, 6);
        await().until(() -> order.size() == 4);
        assertThat(order).containsExactly("0", "1", "RECONNECTED 3", "5");
    }

    @Test
    void shouldContinueAFlowWhoseConsumerRequestsOneByOne() throws Exception {
        start("rbmq.broker.keep = 1 MiB");
        List<Long> received = Collections.synchronizedList(new ArrayList<>());
        Subscriber subscriber = subscriber();
        subscriber.flow("t").subscribe(new Flow.Subscriber<>() {
            private Flow.Subscription subscription;

            @Override
            public void onSubscribe(Flow.Subscription given) {
                subscription = given;
                given.request(1);
            }

            @Override
            public void onNext(ReceivedMessage message) {
                received.add(ByteBuffer.wrap(message.toBytes()).getLong());
                pool.execute(() -> subscription.request(1));
            }

            @Override
            public void onError(Throwable failure) {
                events.add("failed: " + failure.getMessage());
            }

            @Override
            public void onComplete() {
                events.add("complete");
            }
        });
        await().until(() -> running.broker().topics().stream()
                .anyMatch(topic -> !topic.subscribers().isEmpty()));
        TopicPublisher topic = topic("t");
        for (int cut = 1; cut <= 5; cut++) {
            Continuity.publish(topic, 200 * (cut - 1), 200 * cut);
            proxy.cut();
            awaitReconnected(cut);
        }
        await().until(() -> received.size() >= 1000);
        assertThat(received).isEqualTo(numbers(1000));
        assertThat(seen.gaps()).isEmpty();
        assertThat(events).isEmpty();
        subscriber.close();
        await().until(() -> events.contains("complete"));
    }

    @Test
    void shouldContinueSeveralHandlersOfWhichOneIsPaused() throws Exception {
        start("rbmq.broker.keep = 1 MiB");
        Subscriber subscriber = subscriber();
        List<Long> byTopic = Collections.synchronizedList(new ArrayList<>());
        List<Long> byFilter = Collections.synchronizedList(new ArrayList<>());
        Subscription paused = live(subscriber.subscribe("t/1", message -> byTopic.add(message.getLong(0))));
        Subscription other = live(subscriber.subscribe("t/#", message -> byFilter.add(message.getLong(0))));
        TopicPublisher topic = topic("t/1");
        Continuity.publish(topic, 0, 100);
        await().until(() -> byTopic.size() == 100 && byFilter.size() == 100);
        paused.pause();
        Continuity.publish(topic, 100, 200);
        await().until(() -> running.unreadLength() == 100 * FRAME);
        proxy.cut();
        awaitReconnected(1);
        Continuity.publish(topic, 200, 300);
        proxy.cut();
        awaitReconnected(2);
        paused.resume();
        await().until(() -> byTopic.size() >= 300 && byFilter.size() >= 300);
        assertThat(byTopic).isEqualTo(numbers(300));
        assertThat(byFilter).isEqualTo(numbers(300));
        assertThat(seen.gaps()).isEmpty();
        assertThat(paused.lostLength() + other.lostLength()).isZero();
    }

    @Test
    void shouldReportWhatWaitedForAPausedSubscriptionWhenTheClientGivesUp() throws Exception {
        start();
        Subscriber subscriber = running.subscriber(cuttable().withReconnect(SOON.withGiveUpAfter(50)), seen);
        List<Gap> gaps = new CopyOnWriteArrayList<>();
        Subscription paused =
                live(subscriber.subscribe("t", seen, SubscriptionOptions.DEFAULTS.withGapHandler(gaps::add)));
        TopicPublisher topic = topic("t");
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t") == 10);
        paused.pause();
        Continuity.publish(topic, 10, 30);
        await().until(() -> running.unreadLength() == 20 * FRAME);
        proxy.interrupt();
        assertThat(subscriber.closed()).failsWithin(60, TimeUnit.SECONDS);
        assertThat(gaps).singleElement().satisfies(gap -> {
            assertThat(gap.reason()).isEqualTo(Gap.Reason.DISCONNECTED);
            assertThat(gap.lostLength()).isEqualTo(20 * FRAME);
            assertThat(gap.topic()).isEqualTo("t");
            assertThat(gap.publisher()).isPositive();
        });
        assertThat(seen.gaps()).isEqualTo(gaps);
        assertThat(paused.lostLength()).isEqualTo(20 * FRAME);
    }

    // Tests of callbacks.

    @Test
    void shouldGoOnWhenTheCallbacksOfLostConnectionsThrow() throws Exception {
        start("rbmq.broker.keep = 1 MiB");
        Subscriber subscriber = running.subscriber(cuttable(), new SubscriberCallback() {
            @Override
            public void onDisconnected(TransportException cause, long nextAttemptMs) {
                events.add(worker() + "lost");
                throw new IllegalStateException("a mistake");
            }

            @Override
            public void onReconnected(String broker, boolean isSame) {
                events.add(worker() + "back");
                throw new IllegalStateException("a mistake");
            }

            private String worker() {
                return running.clients().isWorkerThread() ? "" : "not on a worker: ";
            }
        });
        live(subscriber.subscribe("t", seen));
        TopicPublisher topic = topic("t");
        proxy.cut();
        await().until(() -> events.contains("back"));
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t") == 10);
        assertThat(events).startsWith("lost").endsWith("back").containsOnly("lost", "back");
        assertThat(subscriber.reconnectCount()).isEqualTo(1);
    }

    @Test
    void shouldEndWithTheReasonWhenAGapHandlerThrowsAfterAReconnect() throws Exception {
        start();
        Subscriber subscriber = subscriber();
        live(subscriber.subscribe("t", seen, SubscriptionOptions.DEFAULTS.withGapHandler(gap -> {
            throw new IllegalStateException("a mistake");
        })));
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        try (Publisher meanwhile = Publisher.connect(running.clients(), running.publisherSettings())) {
            Continuity.publish(meanwhile.topic("t"), 0, 1);
        }
        await().until(() -> running.broker().topics().isEmpty());
        proxy.mend();
        assertThat(subscriber.closed())
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withMessageContaining("a mistake");
        assertThat(seen.reconnectCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"lost", "back", "gap"})
    void shouldCloseTheClientInACallback(String when) throws Exception {
        start();
        AtomicReference<RbmqClient> closing = new AtomicReference<>();
        ClientOptions options = ClientOptions.from(RunningBroker.config())
                .withBrokers(HostPort.of(proxy.address()))
                .withReconnect(SOON)
                .withCallback(new SubscriberCallback() {
                    @Override
                    public void onDisconnected(TransportException cause, long nextAttemptMs) {
                        closeIf("lost");
                    }

                    @Override
                    public void onReconnected(String broker, boolean isSame) {
                        closeIf("back");
                    }

                    @Override
                    public void onGap(Gap gap) {
                        closeIf("gap");
                    }

                    private void closeIf(String event) {
                        events.add(event);
                        if (event.equals(when)) {
                            closing.get().close();
                        }
                    }
                });
        RbmqClient client = running.opened(RbmqClient.connect(options));
        closing.set(client);
        Subscription subscription = live(client.subscribe("t", seen));
        client.publish("t", new byte[8]);
        await().until(() -> seen.next("t") == 1);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        try (Publisher meanwhile = Publisher.connect(running.clients(), running.publisherSettings())) {
            Continuity.publish(meanwhile.topic("t"), 0, 1);
        }
        proxy.mend();
        // The other connection may be lost during the close, so the future may complete exceptionally.
        await().until(() -> client.closed().isDone());
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(events).contains(when);
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().endsWith("-reconnect")));
    }

    @Test
    void shouldEndASubscriptionThatACallbackCloses() throws Exception {
        start();
        AtomicReference<Subscription> closing = new AtomicReference<>();
        Subscriber subscriber = running.subscriber(cuttable(), new SubscriberCallback() {
            @Override
            public void onReconnected(String broker, boolean isSame) {
                closing.get().close();
            }
        });
        closing.set(live(subscriber.subscribe("closing", seen)));
        Subscription other = live(subscriber.subscribe("t", seen));
        proxy.cut();
        assertThat(closing.get().closed()).succeedsWithin(60, TimeUnit.SECONDS);
        TopicPublisher topic = topic("t");
        // The first messages may arrive before the other subscription is live again.
        await().until(() -> {
            Continuity.publish(topic, 0, 1);
            return seen.next("t") == 1;
        });
        assertThat(running.broker().topics()).extracting(state -> state.name()).containsExactly("t");
        assertThat(other.closed()).isNotDone();
        assertThat(subscriber.isConnected()).isTrue();
        assertThat(subscriber.reconnectCount()).isEqualTo(1);
    }

    // Tests of counters.

    @Test
    void shouldShowReconnectsAndWhatWasMissedInTheMetricsOfAClient() throws Exception {
        start();
        MessageHandler none = message -> {};
        RbmqClient client = running.opened(RbmqClient.connect(ClientOptions.from(RunningBroker.config())
                .withBrokers(HostPort.of(proxy.address()))
                .withReconnect(SOON)
                .withCallback(seen)));
        live(client.subscribe("t", none));
        client.topic("mine").announced().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher();
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(60, TimeUnit.SECONDS);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Continuity.publish(topic, 0, 7);
        assertThat(publisher.flush(60_000)).isTrue();
        try (Publisher unseen = Publisher.connect(running.clients(), running.publisherSettings())) {
            Continuity.publish(unseen.topic("t"), 0, 1);
        }
        proxy.mend();
        await().until(() -> client.reconnectCount() == 2 && client.unknownGapCount() == 1);
        await().until(() -> client.lostLength() > 0);
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (RbmqClientMetrics metrics = new RbmqClientMetrics(client)) {
            metrics.bindTo(registry);
            assertThat(value(registry, "reconnects")).isEqualTo(2);
            assertThat(value(registry, "lost.bytes")).isEqualTo(7 * FRAME);
            assertThat(value(registry, "unknown.gaps")).isEqualTo(1);
            assertThat(value(registry, "filter.lost.bytes")).isEqualTo(7 * FRAME);
            assertThat(value(registry, "filter.unknown.gaps")).isEqualTo(1);
            assertThat(value(registry, "resent.messages")).isZero();
            assertThat(value(registry, "topic.dropped.messages")).isZero();
        }
    }

    private static double value(SimpleMeterRegistry registry, String name) {
        return registry.get("rbmq.client." + name).functionCounter().count();
    }
}
