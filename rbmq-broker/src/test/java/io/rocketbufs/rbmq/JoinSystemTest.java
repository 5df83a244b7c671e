package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class JoinSystemTest {
    private final RunningBroker running;

    JoinSystemTest(TransportPair pair) {
        running = new RunningBroker(pair);
    }

    @AfterEach
    void close() throws Exception {
        running.close();
    }

    @Test
    void shouldLoseNothingWhenAPublisherJoinsASubscribedTopicAndSendsImmediately() throws Exception {
        Messages messages = subscribed("t");
        Publisher publisher = running.publisher();
        for (int i = 0; i < 1000; i++) {
            assertThat(publisher.publish("t", text(i))).isEqualTo(PublishResult.PUBLISHED);
        }
        await().until(() -> messages.count() == 1000);
        assertThat(messages.texts())
                .isEqualTo(IntStream.range(0, 1000).mapToObj(Integer::toString).toList());
    }

    @Test
    void shouldLoseNothingWhenManyPublishersSendOneMessageAndClose() throws Exception {
        Messages first = subscribed("t");
        Messages second = subscribed("t");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> publishing = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            byte[] message = text(i);
            publishing.add(threads.submit(() -> {
                try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
                    publisher.publish("t", message);
                }
            }));
        }
        for (Future<?> each : publishing) {
            each.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        List<String> all = IntStream.range(0, 200).mapToObj(Integer::toString).toList();
        for (Messages messages : List.of(first, second)) {
            await().until(() -> messages.count() >= 200);
            assertThat(messages.texts()).containsExactlyInAnyOrderElementsOf(all);
        }
        await().until(() -> running.broker().state().publisherCount() == 0);
        assertThat(running.broker().topics()).hasSize(1).allSatisfy(topic -> {
            assertThat(topic.publishers()).isEmpty();
            assertThat(topic.subscribers()).hasSize(2);
        });
    }

    @Test
    void shouldDeliverOnlyLaterMessagesToALateSubscriber() throws Exception {
        Publisher publisher = running.publisher();
        publisher.publish("t", text("before"));
        assertThat(publisher.flush(10_000)).isTrue();
        Messages messages = subscribed("t");
        publisher.publish("t", text("after"));
        await().until(() -> messages.count() > 0);
        assertThat(messages.texts()).containsExactly("after");
    }

    @Test
    void shouldDiscardMessagesImmediatelyWithoutASubscriber() {
        Publisher publisher = running.publisher(running.publisherSettings().withCapacities(1000, 1000));
        for (int i = 0; i < 10_000; i++) {
            assertThat(publisher.publish("t", text(i))).isEqualTo(PublishResult.PUBLISHED);
        }
        assertThat(publisher.flush(10_000)).isTrue();
        assertThat(publisher.unconfirmedCount()).isZero();
    }

    @Test
    void shouldKeepTheOrderOfEachPublisher() throws Exception {
        Messages messages = subscribed("t");
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            Publisher publisher = running.publisher();
            int number = p;
            Thread thread = new Thread(() ->
                    IntStream.range(0, 2000).forEach(i -> publisher.publish("t", text(number + ":" + i))));
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        await().until(() -> messages.count() == 8000);
        for (int p = 0; p < 4; p++) {
            String prefix = p + ":";
            assertThat(messages.texts().stream().filter(text -> text.startsWith(prefix)))
                    .isEqualTo(
                            IntStream.range(0, 2000).mapToObj(i -> prefix + i).toList());
        }
    }

    @Test
    void shouldDeliverNothingAfterASubscriptionIsClosed() throws Exception {
        Subscriber subscriber = running.subscriber();
        Messages messages = new Messages();
        Subscription subscription = subscriber.subscribe("t", messages);
        subscription.ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher();
        publisher.publish("t", text("one"));
        await().until(() -> messages.count() == 1);
        subscription.close();
        subscription.closed().get(60, TimeUnit.SECONDS);
        publisher.publish("t", text("two"));
        assertThat(publisher.flush(10_000)).isTrue();
        Messages again = new Messages();
        subscriber.subscribe("t", again).ready().get(60, TimeUnit.SECONDS);
        publisher.publish("t", text("three"));
        await().until(() -> again.count() == 1);
        assertThat(messages.texts()).containsExactly("one");
        assertThat(again.texts()).containsExactly("three");
    }

    @Test
    void shouldStopWithinATransferWhenTheHandlerClosesItsSubscription() throws Exception {
        Messages messages = new Messages();
        CompletableFuture<Subscription> own = new CompletableFuture<>();
        Subscription subscription = running.subscriber().subscribe("t", message -> {
            messages.onMessage(message);
            own.join().close();
        });
        own.complete(subscription);
        subscription.ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher();
        for (int i = 0; i < 100; i++) {
            publisher.publish("t", text(i));
        }
        assertThat(publisher.flush(10_000)).isTrue();
        subscription.closed().get(60, TimeUnit.SECONDS);
        assertThat(messages.texts()).containsExactly("0");
        assertThat(subscription.receivedCount()).isEqualTo(1);
    }

    private Messages subscribed(String topic) throws Exception {
        Messages messages = new Messages();
        running.subscriber().subscribe(topic, messages).ready().get(60, TimeUnit.SECONDS);
        return messages;
    }

    private static byte[] text(Object text) {
        return text.toString().getBytes(UTF_8);
    }
}
