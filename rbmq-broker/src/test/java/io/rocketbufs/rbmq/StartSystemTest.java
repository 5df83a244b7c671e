package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.ReceivedMessage;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of subscriptions that start with messages published before the subscription. */
@Timeout(600)
final class StartSystemTest {
    private static final SubscriptionOptions OLDEST = SubscriptionOptions.DEFAULTS.withStart(SubscriptionStart.OLDEST);
    private static final SubscriptionOptions LAST = SubscriptionOptions.DEFAULTS.withStart(SubscriptionStart.LAST);
    private static final String KEEP = "rbmq.broker.keep = 1 MiB";

    private final Continuity callback = new Continuity();
    private RunningBroker running;
    private CuttableProxy proxy;
    private Subscriber subscriber;
    private Publisher publisher;
    private TopicPublisher topic;

    private void start(String... settings) throws IOException {
        running = new RunningBroker(settings);
        proxy = running.opened(new CuttableProxy(running.address()));
        subscriber = another();
        publisher = running.publisher();
        topic = publisher.topic("t");
    }

    @AfterEach
    void close() {
        if (running != null) {
            running.close();
        }
    }

    private Subscriber another() {
        return running.subscriber(
                running.subscriberSettings().withBroker(proxy.address()).withReconnect(ReconnectFixture.SOON),
                callback);
    }

    /** Publishes the numbers from {@code first} to {@code end - 1} and waits until the broker has received them. */
    private void publish(long first, long end) {
        Continuity.publish(topic, first, end);
        assertThat(publisher.flush(60_000)).isTrue();
    }

    /** A handler that records the received numbers and can pause its subscription. */
    private static final class Numbers implements MessageHandler {
        private final List<Long> all = new ArrayList<>();
        private final CompletableFuture<Subscription> pausing = new CompletableFuture<>();
        private final long pausedAt;

        Numbers() {
            this(-1);
        }

        /** Creates a handler that pauses the subscription when the given number arrives. */
        Numbers(long pausedAt) {
            this.pausedAt = pausedAt;
        }

        @Override
        public void onMessage(Message message) {
            long number = message.getLong(0);
            synchronized (this) {
                all.add(number);
            }
            if (number == pausedAt) {
                pausing.join().pause();
            }
        }

        Subscription subscribe(Subscriber to, String filter, SubscriptionOptions options) {
            Subscription subscription = to.subscribe(filter, this, options);
            pausing.complete(subscription);
            return subscription;
        }

        synchronized List<Long> all() {
            return List.copyOf(all);
        }

        void await(long first, long end) {
            List<Long> expected = LongStream.range(first, end).boxed().toList();
            org.awaitility.Awaitility.await().until(() -> all().size() >= expected.size());
            assertThat(all()).isEqualTo(expected);
        }
    }

    private static void get(CompletableFuture<?> future) throws Exception {
        future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldHandOverOnlyTheLastMessageThatIsOlder() throws Exception {
        start(KEEP);
        publish(0, 1000); // many of them arrive in one transfer
        Numbers numbers = new Numbers();
        Subscription subscription = numbers.subscribe(subscriber, "t", LAST);
        get(subscription.caughtUp());
        assertThat(numbers.all()).containsExactly(999L);
        publish(1000, 1500);
        numbers.await(999, 1500);
        assertThat(subscription.receivedCount()).isEqualTo(501);
        assertThat(subscription.lostLength() + subscription.unknownGapCount()).isZero();
    }

    @Test
    void shouldHandOverEverythingThatIsKept() throws Exception {
        start(KEEP);
        publish(0, 1000);
        Numbers numbers = new Numbers();
        Subscription subscription = numbers.subscribe(subscriber, "t", OLDEST);
        get(subscription.caughtUp());
        numbers.await(0, 1000);
        publish(1000, 1500);
        numbers.await(0, 1500);
    }

    @Test
    void shouldBeginLiveIfNothingIsKept() throws Exception {
        start("rbmq.broker.keep = 0");
        publish(0, 10);
        Numbers last = new Numbers();
        Numbers oldest = new Numbers();
        get(last.subscribe(subscriber, "t", LAST).caughtUp());
        get(oldest.subscribe(another(), "t", OLDEST).caughtUp());
        publish(10, 20);
        last.await(10, 20);
        oldest.await(10, 20);
    }

    @Test
    void shouldReceivePublishersWithoutMessagesAndLaterOnesFromTheirFirstMessage() throws Exception {
        start(KEEP);
        get(topic.announced());
        Numbers last = new Numbers();
        get(last.subscribe(subscriber, "#", LAST).caughtUp());
        publish(0, 5);
        last.await(0, 5);
        Publisher later = running.publisher();
        Continuity.publish(later.topic("later"), 5, 10);
        last.await(0, 10);
    }

    @Test
    void shouldHandOverTheLastMessageOfEachPublisherAndTopic() throws Exception {
        start(KEEP);
        for (int i = 0; i < 3; i++) {
            Publisher each = running.publisher();
            Continuity.publish(each.topic("a"), 10 * i, 10 * i + 5);
            Continuity.publish(each.topic("a/" + i), 100 * i, 100 * i + 50);
            assertThat(each.flush(60_000)).isTrue();
        }
        Numbers last = new Numbers();
        Subscription subscription = last.subscribe(subscriber, "a/#", LAST);
        get(subscription.caughtUp());
        assertThat(subscription.ready()).isCompleted();
        assertThat(last.all()).containsExactlyInAnyOrder(4L, 14L, 24L, 49L, 149L, 249L);
    }

    @Test
    void shouldHandOverMessagesThatSpanTheEndOfTheBuffer() throws Exception {
        start("rbmq.publisher.capacity = 16 KiB", "rbmq.broker.capacity = 16 KiB", "rbmq.broker.keep = 16 KiB");
        byte[] message = new byte[1000];
        for (int i = 0; i < 150; i++) {
            ByteBuffer.wrap(message).putLong(0, i).putLong(992, ~i);
            topic.publish(message);
            assertThat(publisher.flush(60_000)).isTrue();
            CompletableFuture<String> seen = new CompletableFuture<>();
            Subscription subscription = subscriber.subscribe(
                    "t", each -> seen.complete(each.length() + " " + each.getLong(0) + " " + ~each.getLong(992)), LAST);
            get(subscription.caughtUp());
            assertThat(seen).isCompletedWithValue("1000 " + i + " " + i);
            subscription.close();
        }
    }

    @Test
    void shouldGiveAGapFreeSuffixWhileThePublisherWritesAtFullRate() throws Exception {
        start(KEEP);
        AtomicBoolean stopped = new AtomicBoolean();
        CompletableFuture<Long> published = new CompletableFuture<>();
        new Thread(() -> published.completeAsync(
                        () -> {
                            long number = 0;
                            while (!stopped.get()) {
                                Continuity.publish(topic, number, number + 100);
                                number += 100;
                            }
                            return number;
                        },
                        Runnable::run))
                .start();
        List<Suffix> all = new ArrayList<>();
        try {
            for (int i = 0; i < 6; i++) {
                Suffix suffix = new Suffix();
                get(another().subscribe("t", suffix, i % 2 == 0 ? OLDEST : LAST).caughtUp());
                all.add(suffix);
            }
        } finally {
            stopped.set(true);
        }
        long end = published.get(60, TimeUnit.SECONDS);
        for (Suffix suffix : all) {
            await().until(() -> suffix.next == end);
            assertThat(suffix.fault).isNull();
        }
        assertThat(callback.gaps()).isEmpty();
        assertThat(callback.faults()).isEmpty();
    }

    /** A handler that checks that consecutive numbers arrive. */
    private static final class Suffix implements MessageHandler {
        private volatile long next = -1;
        private volatile String fault;

        @Override
        public void onMessage(Message message) {
            long number = message.getLong(0);
            if (next >= 0 && number != next && fault == null) {
                fault = number + " instead of " + next;
            }
            next = number + 1;
        }
    }

    // Tests of several subscriptions.

    @Test
    void shouldHandOverOlderMessagesOnlyToTheSubscriptionThatRequestsThem() throws Exception {
        start(KEEP);
        publish(0, 100);
        Numbers older = new Numbers(50);
        Subscription first = older.subscribe(subscriber, "t", OLDEST);
        get(first.ready());
        Numbers live = new Numbers();
        Subscription second = live.subscribe(subscriber, "#", SubscriptionOptions.DEFAULTS);
        get(second.caughtUp());
        older.await(0, 51);
        publish(100, 200);
        Numbers later = new Numbers(); // starts after the waiting messages
        await().until(() -> first.isPaused() && running.brokersPendingLength() == 0);
        get(later.subscribe(subscriber, "t", SubscriptionOptions.DEFAULTS).ready());
        assertThat(first.caughtUp()).isNotDone();
        assertThat(live.all()).isEmpty();
        publish(200, 300);
        first.resume();
        get(first.caughtUp());
        older.await(0, 300);
        live.await(100, 300);
        await().until(() -> later.all().contains(299L));
        assertThat(later.all().get(0)).isBetween(100L, 200L);
        assertThat(callback.gaps()).isEmpty();
    }

    @Test
    void shouldRefuseOlderMessagesOfATopicWhoseMessagesAlreadyArrive() throws Exception {
        start(KEEP);
        publish(0, 10);
        Subscription live = subscriber.subscribe("t", message -> {});
        assertThatThrownBy(() -> subscriber.subscribe("#", message -> {}, OLDEST))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("filter=\"#\" with start OLDEST", "filter=\"t\"", "use another Subscriber");
        Numbers other = new Numbers();
        get(other.subscribe(subscriber, "other", LAST).caughtUp());
        live.close();
        Numbers numbers = new Numbers();
        // Succeeds even if the broker is still ending the other subscription.
        get(numbers.subscribe(subscriber, "t", LAST).caughtUp());
        assertThat(numbers.all()).containsExactly(9L);
        assertThatThrownBy(() -> subscriber.subscribe("t", message -> {}, LAST))
                .isInstanceOf(IllegalStateException.class);
        assertThat(subscriber.lostLength() + subscriber.unknownGapCount()).isZero();
    }

    @Test
    void shouldRefuseOlderRequests() throws Exception {
        start(KEEP);
        try (RbmqClient client =
                RbmqClient.connect(ClientOptions.defaults().withBrokers(HostPort.of(running.address())))) {
            assertThatThrownBy(() -> client.respond("t", (request, replier) -> {}, OLDEST))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("start=OLDEST: a responder begins with live requests");
        }
    }

    @Test
    void shouldContinueLiveSubscriptionsWhenTheOneWithOlderMessagesIsClosed() throws Exception {
        start(KEEP);
        publish(0, 100);
        Numbers older = new Numbers(50);
        Subscription first = older.subscribe(subscriber, "t", OLDEST);
        get(first.ready());
        Numbers live = new Numbers();
        get(live.subscribe(subscriber, "t", SubscriptionOptions.DEFAULTS).ready());
        older.await(0, 51);
        first.close();
        get(first.closed());
        assertThat(first.caughtUp()).isCompletedExceptionally();
        publish(100, 200);
        live.await(100, 200);
        older.await(0, 51);
    }

    @Test
    void shouldStartOverWhenASubscriptionIsClosedByItsHandlerDuringTheOlderMessages() throws Exception {
        start(KEEP);
        publish(0, 100);
        for (int i = 0; i < 20; i++) {
            CompletableFuture<Subscription> closing = new CompletableFuture<>();
            List<Long> received = new ArrayList<>();
            Subscription subscription = subscriber.subscribe(
                    "t",
                    message -> {
                        received.add(message.getLong(0));
                        if (received.size() == 3) {
                            closing.join().close();
                        }
                    },
                    OLDEST);
            closing.complete(subscription);
            get(subscription.closed());
            assertThat(received).containsExactly(0L, 1L, 2L);
        }
    }

    // Tests of lost connections.

    @Test
    void shouldContinueWithTheOlderMessagesAfterAReconnect() throws Exception {
        start(KEEP);
        publish(0, 100);
        Numbers older = new Numbers(50);
        Subscription first = older.subscribe(subscriber, "t", OLDEST);
        get(first.ready());
        Numbers live = new Numbers();
        get(live.subscribe(subscriber, "t", SubscriptionOptions.DEFAULTS).ready());
        older.await(0, 51);
        for (int i = 1; i <= 3; i++) {
            int count = i;
            proxy.cut();
            await().until(() -> callback.reconnectCount() == count);
        }
        publish(100, 200);
        assertThat(first.caughtUp()).isNotDone();
        first.resume();
        get(first.caughtUp());
        older.await(0, 200);
        live.await(100, 200);
        assertThat(callback.gaps()).isEmpty();
    }

    @Test
    void shouldHandOverTheLastMessageOnceAfterAReconnect() throws Exception {
        start(KEEP);
        publish(0, 100);
        Numbers last = new Numbers(99);
        Subscription subscription = last.subscribe(subscriber, "t", LAST);
        last.await(99, 100);
        get(subscription.ready());
        publish(100, 150);
        proxy.cut();
        await().until(() -> callback.reconnectCount() == 1);
        subscription.resume();
        publish(150, 200);
        last.await(99, 200);
        get(subscription.caughtUp());
        assertThat(callback.gaps()).isEmpty();
    }

    @Test
    void shouldHandOverTheLastMessageThatHadArrivedBeforeAReconnect() throws Exception {
        start(KEEP);
        publish(0, 100);
        List<Long> last = new CopyOnWriteArrayList<>();
        CompletableFuture<Flow.Subscription> demand = new CompletableFuture<>();
        subscriber.flow("t", LAST).subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                demand.complete(subscription); // makes no request yet, so that no message is delivered
            }

            @Override
            public void onNext(ReceivedMessage message) {
                last.add(message.buffer().getLong());
            }

            @Override
            public void onError(Throwable failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void onComplete() {}
        });
        Numbers live = new Numbers();
        // Both subscriptions are ready at this point.
        get(live.subscribe(subscriber, "t", SubscriptionOptions.DEFAULTS).ready());
        publish(100, 150);
        proxy.cut();
        await().until(() -> callback.reconnectCount() == 1);
        demand.join().request(Long.MAX_VALUE);
        live.await(100, 150);
        await().until(() -> last.size() >= 51);
        assertThat(last).isEqualTo(LongStream.range(99, 150).boxed().toList());
        assertThat(callback.gaps()).isEmpty();
    }

    @Test
    void shouldTellWhatIsMissingIfOlderMessagesAreGoneAfterAReconnect() throws Exception {
        start("rbmq.broker.keep = 1 KiB", "rbmq.publisher.capacity = 64 KiB");
        publish(0, 50);
        Numbers older = new Numbers(20);
        Subscription first = older.subscribe(subscriber, "t", OLDEST);
        get(first.ready());
        Numbers live = new Numbers();
        Subscription second = live.subscribe(subscriber, "t", SubscriptionOptions.DEFAULTS);
        get(second.ready());
        older.await(0, 21);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        publish(50, 500);
        proxy.mend();
        first.resume();
        get(first.caughtUp());
        publish(500, 501);
        await().until(() -> live.all().contains(500L) && older.all().contains(500L));
        int count = older.all().size();
        assertThat(first.lostLength()).isEqualTo((501 - count) * (long) Continuity.FRAME);
        long missed = (451 - live.all().size()) * (long) Continuity.FRAME;
        assertThat(second.lostLength()).isBetween(missed, first.lostLength());
        assertThat(callback.gaps())
                .singleElement()
                .satisfies(gap -> assertThat(gap.reason()).isEqualTo(Gap.Reason.RECONNECTED));
    }

    @Test
    void shouldStartOverAtAnotherBroker() throws Exception {
        start(KEEP);
        publish(0, 10);
        Numbers last = new Numbers();
        get(last.subscribe(subscriber, "t", LAST).caughtUp());
        try (RunningBroker other = new RunningBroker(KEEP)) {
            Publisher there = other.publisher();
            Continuity.publish(there.topic("t"), 100, 110);
            assertThat(there.flush(60_000)).isTrue();
            proxy.leadTo(other.address());
            proxy.cut();
            await().until(() -> last.all().contains(109L));
            assertThat(last.all()).containsExactly(9L, 109L);
            assertThat(callback.gaps())
                    .singleElement()
                    .satisfies(gap -> assertThat(gap.reason()).isEqualTo(Gap.Reason.OTHER_BROKER));
        }
    }

    // Tests of publishers that leave, and of slow subscribers.

    @Test
    void shouldHandOverOlderMessagesOfAPublisherThatLeavesMeanwhile() throws Exception {
        start(KEEP);
        publish(0, 100);
        Numbers older = new Numbers(0);
        Subscription subscription = older.subscribe(subscriber, "t", OLDEST);
        get(subscription.ready());
        older.await(0, 1);
        publish(100, 150);
        publisher.close();
        await().until(() -> running.broker().state().publisherCount() == 0);
        subscription.resume();
        get(subscription.caughtUp());
        older.await(0, 150);
        await().until(() -> callback.ends() == 1);
        assertThat(callback.gaps()).isEmpty();
        Numbers late = new Numbers();
        get(late.subscribe(another(), "t", OLDEST).caughtUp());
        assertThat(late.all()).isEmpty();
    }

    @Test
    void shouldTellWhatASlowSubscriptionSkipsOfTheOlderMessages() throws Exception {
        start(
                "rbmq.publisher.capacity = 16 KiB",
                "rbmq.broker.capacity = 16 KiB",
                "rbmq.subscriber.capacity = 16 KiB",
                "rbmq.broker.keep = 64 KiB");
        SubscriptionOptions skipping = OLDEST.withSlowPolicy(SlowPolicy.SKIP);
        publish(0, 5000);
        Numbers first = new Numbers();
        Subscription subscription = first.subscribe(subscriber, "t", skipping);
        get(subscription.ready());
        subscription.pause();
        Numbers live = new Numbers();
        Subscription second =
                live.subscribe(subscriber, "t", SubscriptionOptions.DEFAULTS.withSlowPolicy(SlowPolicy.SKIP));
        get(second.ready());
        Continuity.publish(topic, 5000, 30_000);
        subscription.resume();
        get(subscription.caughtUp());
        // The last message needs free memory. A skip that it causes may be reported after it and include it.
        await().until(() -> !first.all().isEmpty()
                && first.all().size() + subscription.lostLength() / Continuity.FRAME
                        == 30_000 - first.all().get(0)
                && live.all().size() + second.lostLength() / Continuity.FRAME >= 25_000);
        publish(30_000, 30_001);
        await().until(() -> first.all().contains(30_000L) && live.all().contains(30_000L));
        long begun = first.all().get(0);
        assertThat(first.all().size() + subscription.lostLength() / Continuity.FRAME)
                .isEqualTo(30_001 - begun);
        assertThat(live.all().get(0)).isGreaterThanOrEqualTo(5000);
        assertThat(live.all().size() + second.lostLength() / Continuity.FRAME).isGreaterThanOrEqualTo(25_001);
    }

    @Test
    void shouldHandOverOlderMessagesOnAnExecutor() throws Exception {
        start(KEEP);
        publish(0, 5000);
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Numbers numbers = new Numbers();
            SubscriptionOptions options = OLDEST.withExecutor(executor).withQueueCapacity(1000);
            get(numbers.subscribe(subscriber, "t", options).caughtUp());
            numbers.await(0, 5000);
        } finally {
            executor.shutdown();
        }
    }
}
