package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of subscriptions to filters with wildcards while topics appear and disappear. */
@Tag("once")
@Timeout(600)
final class FilterSystemTest {
    private static final int LIMIT = 20;

    private final RunningBroker running = new RunningBroker("rbmq.broker.topics-per-filter = " + LIMIT);
    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final Subscriber subscriber =
            running.subscriber(running.subscriberSettings().withCapacities(1000, 1000), new SubscriberCallback() {
                @Override
                public void onError(String topic, int publisher, Throwable error) {
                    errors.add(topic + " " + publisher + " " + error.getMessage());
                }
            });

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldReceiveTheFirstMessageOfEveryTopicThatAppearsLater() throws Exception {
        live(subscriber.subscribe("room/+/door", recorder()));
        Publisher publisher = running.publisher();
        for (int i = 0; i < LIMIT; i++) {
            publish(publisher, "room/" + i + "/door", "first");
            publish(publisher, "room/" + i + "/window", "other");
            publish(publisher, "room/" + i + "/door", "second");
        }
        await().until(() -> received.size() == 2 * LIMIT);
        assertThat(received)
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, LIMIT)
                        .boxed()
                        .flatMap(i -> List.of("room/" + i + "/door first", "room/" + i + "/door second").stream())
                        .toList());
        assertThat(errors).isEmpty();
    }

    @Test
    void shouldReceiveEveryMessagePublishedAfterTheSubscriptionIsLive() throws Exception {
        Publisher publisher = running.publisher();
        publish(publisher, "a", "early");
        publish(publisher, "a/b", "early");
        publish(publisher, "b", "early");
        assertThat(publisher.flush(10_000)).isTrue();
        live(subscriber.subscribe("a/#", recorder()));
        publish(publisher, "b", "late");
        publish(publisher, "a", "late");
        publish(publisher, "a/b", "late");
        publish(publisher, "a/b/c", "late");
        await().until(() -> received.size() == 3);
        assertThat(received).containsExactlyInAnyOrder("a late", "a/b late", "a/b/c late");
    }

    @Test
    void shouldLoseNothingWhenPublishersComeAndGo() throws Exception {
        List<Subscriber> subscribers = new ArrayList<>();
        for (String filter : List.of("#", "t/+", "+/#", "t/3")) {
            subscribers.add(running.subscriber());
            live(subscribers.get(subscribers.size() - 1).subscribe(filter, recorder(filter)));
        }
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> publishing = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String message = Integer.toString(i);
            publishing.add(threads.submit(() -> {
                try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
                    publish(publisher, "t/" + Integer.parseInt(message) % 5, message);
                }
            }));
        }
        for (Future<?> each : publishing) {
            each.get(60, TimeUnit.SECONDS);
        }
        threads.shutdown();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            String message = "t/" + i % 5 + " " + i;
            expected.addAll(List.of("# " + message, "t/+ " + message, "+/# " + message));
            if (i % 5 == 3) {
                expected.add("t/3 " + message);
            }
        }
        await().until(() -> received.size() >= expected.size());
        for (Subscriber each : subscribers) {
            live(each.subscribe("marker", recorder())); // the broker's reply follows all earlier messages
        }
        assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void shouldForgetATopicWithoutPublishersAndReceiveItAgain() throws Exception {
        Subscription subscription = live(subscriber.subscribe("a/+", recorder()));
        for (int i = 0; i < 2; i++) {
            try (Publisher publisher = Publisher.connect(running.clients(), running.publisherSettings())) {
                TopicPublisher topic = publisher.topic("a/b");
                topic.announced().get(60, TimeUnit.SECONDS);
                assertThat(running.broker().topics()).singleElement().satisfies(state -> {
                    assertThat(state.name()).isEqualTo("a/b");
                    assertThat(state.subscribers()).hasSize(1);
                });
                topic.publish(Integer.toString(i).getBytes(UTF_8));
            }
            await().until(() -> running.broker().topics().isEmpty());
        }
        await().until(() -> received.size() == 2);
        assertThat(received).containsExactly("a/b 0", "a/b 1");
        subscription.close();
        subscription.closed().get(60, TimeUnit.SECONDS);
        Publisher last = running.publisher();
        publish(last, "a/b", "after the end");
        assertThat(last.flush(60_000)).isTrue(); // sent to all subscribers before the reply to the next request
        live(subscriber.subscribe("marker", recorder()));
        assertThat(received).hasSize(2);
    }

    @Test
    void shouldRefuseAFilterThatMatchesMoreTopicsThanAllowed() throws Exception {
        announce(running.publisher(), 0, LIMIT + 1);
        Subscription refused = subscriber.subscribe("t/#", recorder());
        assertThatThrownBy(() -> live(refused))
                .hasStackTraceContaining("the broker refused the subscription to \"t/#\": filter \"t/#\" matches 21"
                        + " topics, more than rbmq.broker.topics-per-filter=20; use a narrower filter, or raise the"
                        + " limit");
        refused.closed().get(60, TimeUnit.SECONDS);
        live(subscriber.subscribe("t/1", recorder()));
        // The subscription is closed before the broker has refused it. Neither side treats this as a protocol
        // violation.
        Subscription closedEarly = subscriber.subscribe("t/+", recorder());
        closedEarly.close();
        closedEarly.closed().get(60, TimeUnit.SECONDS);
        live(subscriber.subscribe("marker", recorder()));
    }

    @Test
    void shouldReportEachTopicThatExceedsTheLimitLaterAndLogTheFirst() throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            live(subscriber.subscribe("t/#", recorder()));
            Publisher publisher = running.publisher();
            announce(publisher, 0, LIMIT);
            Publisher another = running.publisher();
            announce(another, LIMIT, LIMIT + 2);
            announce(another, 0, 1);
            await().until(() -> errors.size() == 2);
            assertThat(errors)
                    .containsExactly(
                            "t/# 0 a topic is left out of the subscription to \"t/#\": topic \"t/20\" exceeds"
                                    + " rbmq.broker.topics-per-filter=20",
                            "t/# 0 a topic is left out of the subscription to \"t/#\": topic \"t/21\" exceeds"
                                    + " rbmq.broker.topics-per-filter=20");
            assertThat(logged.with("does not receive every topic that matches filter \"t/#\""))
                    .hasSize(1);
            publish(another, "t/20", "not received");
            publish(another, "t/0", "received");
            await().until(() -> !received.isEmpty());
            publisher.close();
            another.close();
            await().until(() -> running.broker().topics().isEmpty());
            publish(running.publisher(), "t/20", "received");
            await().until(() -> received.size() == 2);
            assertThat(received).containsExactly("t/0 received", "t/20 received");
        }
    }

    @Test
    void shouldBeDisconnectedWhenAPauseUnderBlockExceedsTheStallTimeout() throws Exception {
        try (RunningBroker impatient = new RunningBroker("rbmq.broker { capacity = 1000, stall-timeout = 200 ms }")) {
            Subscriber paused = impatient.subscriber(
                    impatient.subscriberSettings().withCapacities(1000, 1000), new SubscriberCallback() {});
            Subscription subscription = live(paused.subscribe("#", recorder(), SlowPolicy.BLOCK));
            subscription.pause();
            TopicPublisher publisher = impatient
                    .publisher(impatient.publisherSettings().withCapacities(1000, 1000))
                    .topic("t");
            for (int i = 0; i < 30; i++) {
                publisher.publish(
                        new byte[96]); // fills all three buffers; continues once the subscriber is disconnected
            }
            assertThatThrownBy(() -> paused.closed().get(60, TimeUnit.SECONDS))
                    .hasStackTraceContaining("consumed nothing for");
            assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
            assertThat(received).isEmpty();
        }
    }

    private static void announce(Publisher publisher, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            publisher.topic("t/" + i).announced().get(60, TimeUnit.SECONDS);
        }
    }

    private MessageHandler recorder() {
        return message -> received.add(message.topic() + " " + new String(message.toBytes(), UTF_8));
    }

    private MessageHandler recorder(String filter) {
        return message -> received.add(filter + " " + message.topic() + " " + new String(message.toBytes(), UTF_8));
    }

    private static Subscription live(Subscription subscription) throws Exception {
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    private static void publish(Publisher publisher, String topic, String message) {
        assertThat(publisher.publish(topic, message.getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
    }
}
