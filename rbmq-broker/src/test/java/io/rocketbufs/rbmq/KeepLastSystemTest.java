package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The last message of a topic outlives its publisher. */
@Timeout(180)
final class KeepLastSystemTest {
    private static final String RULE = "rbmq.topics = [{ match = \"config/#\", keep = last }]";
    private static final String COLOR = "config/color";

    private RunningBroker running;

    private void start(String... settings) {
        running = new RunningBroker(settings);
    }

    @AfterEach
    void close() {
        running.close();
    }

    private TopicState topic(String name) {
        return running.broker().topics().stream()
                .filter(topic -> topic.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    private static void publish(Publisher publisher, String topic, String... texts) {
        for (String text : texts) {
            assertThat(publisher.topic(topic).publish(text.getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
        }
    }

    /** Publishes messages, and waits until their publisher has left gracefully. */
    private void publishAndLeave(String topic, String... texts) {
        try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
            publish(publisher, topic, texts);
        }
        awaitNoPublisher();
    }

    private void awaitNoPublisher() {
        await().until(() -> running.broker().state().publisherCount() == 0);
    }

    private List<String> receive(String filter, SubscriptionStart start) throws Exception {
        List<String> received = new CopyOnWriteArrayList<>();
        receive(running.subscriber(), filter, start, received);
        return received;
    }

    private static Subscription receive(
            Subscriber subscriber, String filter, SubscriptionStart start, List<String> received) throws Exception {
        Subscription subscription = subscriber.subscribe(
                filter,
                message -> received.add(message.topic() + "=" + message.text()),
                SubscriptionOptions.DEFAULTS.withStart(start));
        subscription.caughtUp().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    @Test
    void shouldReceiveTheLastMessageOfAPublisherThatHasLeft() throws Exception {
        start(RULE);
        publishAndLeave(COLOR, "red", "green", "blue");
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
        assertThat(receive("config/#", SubscriptionStart.OLDEST)).containsExactly("config/color=blue");
        assertThat(receive(COLOR, SubscriptionStart.LIVE)).isEmpty();
        assertThat(topic(COLOR).keptLength()).isEqualTo("blue".length() + Integer.BYTES);
    }

    @Test
    void shouldReceiveTheLastMessageOfAPublisherThatWasKilled() throws Exception {
        start(RULE);
        RocketBufs process = running.another();
        Publisher publisher = Publisher.connect(process, running.publisherSettings());
        publish(publisher, COLOR, "red", "blue");
        assertThat(publisher.flush(60_000)).isTrue();
        process.close(); // ends the connection abruptly
        awaitNoPublisher();
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
    }

    @Test
    void shouldReceiveTheLastMessageOfAConnectedPublisherHoweverLongItIs() throws Exception {
        start(RULE, "rbmq.publisher.capacity = 2 MiB");
        Publisher publisher = running.publisher();
        publish(publisher, COLOR, "red", "x".repeat((2 << 20) - Integer.BYTES));
        assertThat(publisher.flush(60_000)).isTrue();
        assertThat(receive(COLOR, SubscriptionStart.LAST))
                .singleElement()
                .satisfies(received -> assertThat(received).hasSize(COLOR.length() + 1 + (2 << 20) - Integer.BYTES));
        publisher.close();
        awaitNoPublisher();
        assertThat(receive(COLOR, SubscriptionStart.LAST))
                .singleElement()
                .satisfies(received -> assertThat(received).hasSize(COLOR.length() + 1 + (2 << 20) - Integer.BYTES));
    }

    @Test
    void shouldKeepNothingOfTopicsWithoutTheRule() throws Exception {
        start(RULE);
        publishAndLeave("other", "red");
        assertThat(receive("#", SubscriptionStart.LAST)).isEmpty();
        assertThat(running.broker().topics()).isEmpty();
        assertThat(running.broker().state().keptCount()).isZero();
    }

    @Test
    void shouldReplaceTheMessageWhenAnotherPublisherSendsItsFirst() throws Exception {
        start(RULE);
        publishAndLeave(COLOR, "red");
        Publisher next = running.publisher();
        next.topic(COLOR).announced().get(60, TimeUnit.SECONDS);
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=red");
        publish(next, COLOR, "blue");
        assertThat(next.flush(60_000)).isTrue();
        assertThat(running.broker().state().keptCount()).isZero();
        assertThat(receive(COLOR, SubscriptionStart.LAST)).containsExactly("config/color=blue");
    }
}
