package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which a publisher joins and leaves while a subscriber pauses for longer than the publisher's messages are
 * held.
 */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class PausedSubscriberSystemTest {
    private final CompletableFuture<RocketBufs> brokers = new CompletableFuture<>();
    private final CompletableFuture<Void> resumed = new CompletableFuture<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Messages messages = new Messages();
    private final String[] settings;
    private final RunningBroker running;

    PausedSubscriberSystemTest(TransportPair pair) {
        settings = pair.settings().toArray(new String[pair.settings().size() + 1]);
        settings[settings.length - 1] = "rbmq.broker.join-timeout = 10 ms";
        running = new RunningBroker(
                config -> {
                    brokers.complete(RocketBufs.open(config));
                    return brokers.join();
                },
                settings);
    }

    @AfterEach
    void close() {
        resumed.complete(null);
        running.close();
    }

    @Test
    void shouldReceiveTheNumberOfMissedBytes() throws Exception {
        pause();
        comeAndGo(10);
        resumed.complete(null);
        await().until(() -> events.size() == 2);
        assertThat(events).containsExactly("gap 50", "end null");
        assertThat(messages.texts()).isEmpty();
    }

    @Test
    void shouldReceiveNoGapWhenItMissedNothing() throws Exception {
        pause();
        comeAndGo(0);
        resumed.complete(null);
        await().until(() -> !events.isEmpty());
        assertThat(events).containsExactly("end null");
    }

    /** Makes a handler block the worker that would subscribe to the publisher's buffer. */
    private void pause() throws Exception {
        // The subscriber has its own workers, so the publisher's workers continue.
        RocketBufs own = running.opened(RocketBufs.open(RunningBroker.config(settings)));
        SubscriberCallback callback = new SubscriberCallback() {
            @Override
            public void onGap(Gap gap) {
                events.add("gap " + gap.lostLength());
            }

            @Override
            public void onError(String topic, int publisher, Throwable error) {
                events.add("error " + error.getMessage());
            }

            @Override
            public void onPublisherEnd(String topic, int publisher, String failure) {
                if (topic.equals("t")) {
                    events.add("end " + failure);
                }
            }
        };
        Subscriber subscriber = running.opened(Subscriber.connect(own, running.subscriberSettings(), callback));
        CompletableFuture<Void> paused = new CompletableFuture<>();
        subscriber.subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
        subscriber
                .subscribe("pause", message -> {
                    paused.complete(null);
                    resumed.join();
                })
                .ready()
                .get(60, TimeUnit.SECONDS);
        running.publisher().publish("pause", new byte[1]);
        paused.get(60, TimeUnit.SECONDS);
    }

    /**
     * Connects a publisher, publishes messages, closes the publisher, and waits until the broker has released the
     * memory of the messages.
     */
    private void comeAndGo(int count) throws Exception {
        long inUse = brokers.join().memoryInUse();
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            publisher.topic("t").announced().get(60, TimeUnit.SECONDS);
            for (int i = 0; i < count; i++) {
                publisher.publish("t", Integer.toString(i).getBytes(UTF_8));
            }
        }
        await().until(() -> brokers.join().memoryInUse() == inUse);
    }
}
