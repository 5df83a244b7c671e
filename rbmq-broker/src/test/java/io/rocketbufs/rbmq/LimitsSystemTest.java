package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.NoRespondersException;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.text.HostPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of clients that exceed the broker's limits for one connection. */
@Tag("once")
@Timeout(600)
final class LimitsSystemTest {
    private final RunningBroker running =
            new RunningBroker("rbmq.limits { subscriptions-per-connection = 3, topics-per-connection = 10 }");
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final Messages messages = new Messages();
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
    void shouldCountTheInboxesOfAPublisherOnTheirOwn() throws Exception {
        RawClient responder = new RawClient(running, Role.PUBLISHER);
        for (int id = 1; id <= 10; id++) {
            assertThat(announce(responder, id, inbox(id))).startsWith("ANNOUNCED");
        }
        assertThat(announce(responder, 11, inbox(11)))
                .startsWith("ANNOUNCE_REFUSED topic \"" + InboxName.shown(inbox(11))
                        + "\" exceeds rbmq.limits.topics-per-connection=10");
        for (int id = 12; id <= 21; id++) {
            assertThat(announce(responder, id, "t/" + id)).startsWith("ANNOUNCED");
        }
        assertThat(announce(responder, 22, "t/22")).startsWith("ANNOUNCE_REFUSED topic \"t/22\" exceeds");
        assertThat(announce(responder, 23, inbox(1))).startsWith("ANNOUNCED");
        responder.removeBuffer(10);
        awaitAnnounced(responder, 24, inbox(24));
    }

    @Test
    void shouldRefuseFurtherBuffersOfOneInbox() throws Exception {
        RawClient responder = new RawClient(running, Role.PUBLISHER);
        for (int id = 1; id <= 4; id++) {
            assertThat(announce(responder, id, inbox(1))).startsWith("ANNOUNCED");
        }
        assertThat(announce(responder, 5, inbox(1)))
                .isEqualTo("ANNOUNCE_REFUSED inbox \"" + InboxName.shown(inbox(1))
                        + "\" already has 4 buffers on this connection");
        responder.removeBuffer(1);
        awaitAnnounced(responder, 6, inbox(1));
        assertThat(announce(responder, 1000, inbox(1))).startsWith("ANNOUNCE_REFUSED");
    }

    private static String inbox(int number) {
        return String.format("$R/%032x", number);
    }

    /** Announces a topic and returns the broker's reply. */
    private static String announce(RawClient responder, int id, String topic) throws Exception {
        responder.createBuffer(id, 4096);
        responder.announce(id, 4096, topic);
        return responder.nextNotice();
    }

    /** Announces a topic repeatedly under new ids until the broker has received the end of another buffer. */
    private static void awaitAnnounced(RawClient responder, int firstId, String topic) {
        AtomicInteger id = new AtomicInteger(firstId);
        await().until(() -> announce(responder, id.getAndIncrement(), topic).startsWith("ANNOUNCED"));
    }

    @Test
    void shouldNotCountTheOwnSubscriptionsOfRequests() throws Exception {
        try (RbmqClient client = RbmqClient.connect(HostPort.of(running.address()))) {
            List<CompletableFuture<Reply>> requests = new ArrayList<>();
            for (String topic : List.of("a", "b", "c")) {
                live(client.subscribe(topic, messages));
            }
            for (int i = 0; i < 8; i++) {
                requests.add(client.request("unheard/" + i, new byte[0], Duration.ofHours(1)));
            }
            for (CompletableFuture<Reply> each : requests) {
                assertThatThrownBy(() -> each.get(60, TimeUnit.SECONDS))
                        .hasCauseInstanceOf(NoRespondersException.class);
            }
            assertThatThrownBy(() -> live(client.subscribe("d", messages)))
                    .hasMessageContaining("exceeds rbmq.limits.subscriptions-per-connection=3");
        }
    }

    @Test
    void shouldRefuseASubscriptionThatExceedsTheLimitOfItsConnection() throws Exception {
        live(subscriber.subscribe("a", messages));
        live(subscriber.subscribe("b", messages));
        Subscription third = live(subscriber.subscribe("c/#", messages));
        assertThatThrownBy(() -> live(subscriber.subscribe("d", messages)))
                .hasStackTraceContaining("the broker refused the subscription to \"d\": subscription 4 to \"d\" exceeds"
                        + " rbmq.limits.subscriptions-per-connection=3; use filters or several connections, or raise"
                        + " the limit");
        live(running.subscriber().subscribe("d", messages));
        third.close();
        third.closed().get(60, TimeUnit.SECONDS);
        live(subscriber.subscribe("d", messages));
        publish(running.publisher(), "a", "1");
        await().until(() -> messages.count() == 1);
    }

    @Test
    void shouldCountMembersOfGroupsAsSubscriptions() throws Exception {
        SubscriptionOptions workers = SubscriptionOptions.DEFAULTS.withGroup("workers");
        Subscription first = live(subscriber.subscribe("a", messages, workers));
        live(subscriber.subscribe("a", messages, workers));
        live(subscriber.subscribe("b", messages));
        assertThatThrownBy(() -> live(subscriber.subscribe("c", messages, workers)))
                .hasStackTraceContaining("exceeds rbmq.limits.subscriptions-per-connection=3");
        first.close();
        first.closed().get(60, TimeUnit.SECONDS);
        live(subscriber.subscribe("c", messages, workers));
    }

    @Test
    void shouldRefuseATopicThatExceedsTheLimitOfItsPublisher() throws Exception {
        Publisher publisher = running.publisher();
        announce(publisher, 0, 10);
        assertThatThrownBy(() -> announce(publisher, 10, 11))
                .hasStackTraceContaining(
                        "topic \"t/10\" exceeds rbmq.limits.topics-per-connection=10; close topics that"
                                + " are no longer needed, use several connections, or raise the limit");
        announce(running.publisher(), 10, 11);
        publisher.topic("t/0").close();
        await().untilAsserted(() -> announce(publisher, 11, 12));
    }

    @Test
    void shouldRefuseAFilterWhenTheFiltersOfItsConnectionMatchTooManyTopics() throws Exception {
        announce(running.publisher(), 0, 4);
        Subscription first = live(subscriber.subscribe("#", messages));
        live(subscriber.subscribe("t/+", messages));
        assertThatThrownBy(() -> live(subscriber.subscribe("t/#", messages)))
                .hasStackTraceContaining("filter \"t/#\" matches 4 topics, and the other filters of the connection 8,"
                        + " more than rbmq.limits.topics-per-connection=10; use narrower filters or several"
                        + " connections, or raise the limit");
        live(running.subscriber().subscribe("t/#", messages));
        first.close();
        first.closed().get(60, TimeUnit.SECONDS);
        live(subscriber.subscribe("t/#", messages));
    }

    @Test
    void shouldReportTheFirstTopicThatExceedsTheLimitOfAConnectionLater() throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            live(subscriber.subscribe("#", messages));
            live(subscriber.subscribe("t/+", messages));
            Publisher publisher = running.publisher();
            announce(publisher, 0, 7);
            await().until(() -> errors.size() == 2);
            String reason = "topic \"t/5\" exceeds rbmq.limits.topics-per-connection=10; further topics that exceed it"
                    + " are not reported";
            assertThat(errors)
                    .containsExactlyInAnyOrder(
                            "# 0 a topic is left out of the subscription to \"#\": " + reason,
                            "t/+ 0 a topic is left out of the subscription to \"t/+\": " + reason);
            assertThat(logged.with("does not receive every topic that matches filter"))
                    .hasSize(1);
            assertThat(publisher.topic("t/4").hasSubscribers()).isTrue();
            assertThat(publisher.topic("t/6").hasSubscribers()).isFalse();
            publish(publisher, "t/6", "not received");
            publish(publisher, "t/0", "received");
            await().until(() -> messages.count() == 2);
            publisher.close();
            await().until(() -> running.broker().topics().isEmpty());
            publish(running.publisher(), "t/6", "received");
            await().until(() -> messages.count() == 4);
            assertThat(messages.texts()).containsOnly("received");
            assertThat(errors).hasSize(2);
        }
    }

    @Test
    void shouldForgetTheFiltersOfASubscriberThatHasLeft() throws Exception {
        live(subscriber.subscribe("#", messages));
        live(subscriber.subscribe("t/+", messages));
        Publisher publisher = running.publisher();
        announce(publisher, 0, 7);
        subscriber.close();
        await().until(() -> running.broker().topics().stream()
                .allMatch(topic -> topic.subscribers().isEmpty()));
        announce(publisher, 7, 8);
        assertThat(publisher.topic("t/7").hasSubscribers()).isFalse();
    }

    private static void announce(Publisher publisher, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            publisher.topic("t/" + i).announced().get(60, TimeUnit.SECONDS);
        }
    }

    private static Subscription live(Subscription subscription) throws Exception {
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    private static void publish(Publisher publisher, String topic, String message) {
        TopicPublisher output = publisher.topic(topic);
        assertThat(output.publish(message.getBytes(UTF_8))).isEqualTo(PublishResult.PUBLISHED);
    }
}
