package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.memory.AllocatedBytes;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.WhenUnheard;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the numbers of subscribers that the broker reports, and of messages that publishers drop because of them.
 */
@Tag("once")
@Timeout(600)
final class InterestSystemTest {
    private final RunningBroker running = new RunningBroker();
    private final ClientSettings dropping = running.client().withWhenUnheard(WhenUnheard.DROP);
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final PublisherCallback callback = new PublisherCallback() {
        @Override
        public void onInterest(String topic, boolean hasSubscribers) {
            events.add(topic + " " + hasSubscribers);
        }
    };

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldKnowAtTheAnnouncementThatATopicHasNoSubscribers() throws Exception {
        TopicPublisher topic = announced(running.publisher(running.client(), callback), "t");
        assertThat(topic.hasSubscribers()).isFalse();
        assertThat(events).containsExactly("t false");
    }

    @Test
    void shouldKnowAtTheAnnouncementThatATopicHasSubscribers() throws Exception {
        subscribed("t");
        TopicPublisher topic = announced(running.publisher(running.client(), callback), "t");
        assertThat(topic.hasSubscribers()).isTrue();
        assertThat(events).containsExactly("t true");
    }

    @Test
    void shouldReportOnlyChangesBetweenNoSubscribersAndSome() throws Exception {
        TopicPublisher topic = announced(running.publisher(running.client(), callback), "t");
        TopicPublisher other = announced(running.publisher(), "t");
        RawClient raw = new RawClient(running, Role.PUBLISHER);
        raw.createBuffer(1, 1000);
        raw.announce(1, 1000, "t");
        assertThat(raw.nextNotice()).startsWith("ANNOUNCED");
        Subscription first = subscribed("t");
        Subscription second = subscribed("t");
        await().until(topic::hasSubscribers);
        await().until(other::hasSubscribers);
        await().until(() -> raw.interest().contains(1));
        ended(first);
        ended(second);
        await().until(() -> !topic.hasSubscribers());
        await().until(() -> !other.hasSubscribers());
        assertThat(events).containsExactly("t false", "t true", "t false");
        await().until(() -> raw.interest().size() >= 3);
        assertThat(raw.interest()).containsExactly(0, 1, 0);
    }

    @Test
    void shouldCountSubscribersWhoseFiltersMatch() throws Exception {
        RawClient raw = new RawClient(running, Role.PUBLISHER);
        assertThat(interestUntilAnnounced(raw, 1, "a/b")).containsExactly(0);
        Subscription filtered = subscribed("a/+");
        Subscription named = subscribed("a/b");
        Subscription all = subscribed("#");
        Subscription elsewhere = subscribed("b/+");
        ended(filtered);
        ended(named);
        ended(elsewhere);
        // The reports of the change of a/b, and of a.
        assertThat(interestUntilAnnounced(raw, 2, "a")).containsExactly(1, 1);
        ended(all);
        // The reports of the changes of a/b and a, and of c.
        assertThat(interestUntilAnnounced(raw, 3, "c")).containsExactly(0, 0, 0);
        named = subscribed("a/b");
        filtered = subscribed("a/#");
        ended(named);
        // The reports of the changes of a/b and a, and of a/b/c.
        assertThat(interestUntilAnnounced(raw, 4, "a/b/c")).containsExactly(1, 1, 1);
        ended(filtered);
        assertThat(interestUntilAnnounced(raw, 5, "d")).containsExactly(0, 0, 0, 0);
    }

    @Test
    void shouldKeepAPublisherThatDoesNotReadWhileASubscriberComesAndGoes() throws Exception {
        int topicCount = 1000;
        int changeCount = 100; // enough to cause more notices than may wait for a client
        String patient = "rocketbufs { heartbeat-interval = 1 m, heartbeat-timeout = 10 m }";
        CountDownLatch release = new CountDownLatch(1);
        try (RunningBroker calm = new RunningBroker(patient, "rbmq.broker.capacity = 1000");
                RocketBufs publishers = RocketBufs.open(RunningBroker.config(patient))) {
            RawClient publisher =
                    new RawClient(publishers, calm.address(), Role.PUBLISHER, GreetingLayout.write("raw", ""));
            for (int i = 0; i < topicCount; i++) {
                publisher.createBuffer(i, 1000);
                publisher.announce(i, 1000, "t/" + i);
            }
            await().until(() -> calm.broker().topics().size() == topicCount);
            publisher.connection().execute(() -> awaitUninterruptibly(release));
            RawClient subscriber = new RawClient(calm, Role.SUBSCRIBER);
            for (int i = 0; i < changeCount; i++) {
                subscriber.send(TopicLayout.write(i, null, "#"));
                subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, i, ""));
                while (!subscriber.nextNotice().startsWith("TOPIC_UNSUBSCRIBED")) {
                    // skips the list of all topics' buffers
                }
            }
            subscriber.send(TopicLayout.write(changeCount, null, "#"));
            while (!subscriber.nextNotice().startsWith("TOPIC_LISTED")) {
                // skips the list of all topics' buffers
            }
            release.countDown();
            await().until(() -> publisher.lastInterest().values().stream()
                            .filter(count -> count == 1)
                            .count()
                    == topicCount);
            assertThat(publisher.interest()).hasSizeLessThan(topicCount * changeCount);
            assertThat(calm.broker().state().publisherCount()).isEqualTo(1);
        } finally {
            release.countDown();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Announces a topic and returns the reports that arrived since the previous announcement. */
    private static List<Integer> interestUntilAnnounced(RawClient raw, int bufferId, String topic) throws Exception {
        raw.createBuffer(bufferId, 1000);
        raw.announce(bufferId, 1000, topic);
        assertThat(raw.nextNotice()).startsWith("ANNOUNCED");
        List<Integer> reports = List.copyOf(raw.interest());
        raw.interest().clear();
        return reports;
    }

    @Test
    void shouldKnowAtTheAnnouncementThatAFilterMatches() throws Exception {
        subscribed("a/#");
        Publisher publisher = running.publisher(dropping, callback);
        assertThat(announced(publisher, "a/b").hasSubscribers()).isTrue();
        assertThat(announced(publisher, "b").hasSubscribers()).isFalse();
        assertThat(events).containsExactly("a/b true", "b false");
    }

    @Test
    void shouldCountASubscriberWithSeveralSubscriptionsOnce() throws Exception {
        Subscriber subscriber = running.subscriber();
        Subscription named = live(subscriber, "a/b");
        live(subscriber, "a/+");
        live(subscriber, "#");
        RawClient raw = new RawClient(running, Role.PUBLISHER);
        assertThat(interestUntilAnnounced(raw, 1, "a/b")).containsExactly(1);
        ended(named);
        subscriber.close();
        await().until(() -> !raw.interest().isEmpty());
        assertThat(interestUntilAnnounced(raw, 2, "a/c")).containsExactly(0, 0);
    }

    @Test
    void shouldNotCountASubscriberWhoseFilterMatchesTooManyTopics() throws Exception {
        try (RunningBroker limited = new RunningBroker("rbmq.broker.topics-per-filter = 1")) {
            live(limited.subscriber(), "#");
            Publisher publisher = limited.publisher(limited.client(), callback);
            assertThat(announced(publisher, "a").hasSubscribers()).isTrue();
            assertThat(announced(publisher, "b").hasSubscribers()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "#"})
    void shouldReportThatTheLastSubscriberWasLost(String filter) throws Exception {
        TopicPublisher topic = announced(running.publisher(), "t");
        RocketBufs subscribers = running.another();
        Subscriber subscriber = running.opened(Subscriber.connect(subscribers, running.client()));
        live(subscriber, filter);
        await().until(topic::hasSubscribers);
        subscribers.close(); // ends the connection abruptly
        await().until(() -> !topic.hasSubscribers());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/#"})
    void shouldBeCorrectWhenSubscribersComeAndGoWhilePublishersAnnounce(String wildcard) throws Exception {
        int count = 300;
        Map<String, List<Boolean>> reports = new ConcurrentHashMap<>();
        Publisher publisher = running.publisher(running.client(), new PublisherCallback() {
            @Override
            public void onInterest(String topic, boolean hasSubscribers) {
                reports.computeIfAbsent(topic, name -> new CopyOnWriteArrayList<>())
                        .add(hasSubscribers);
            }
        });
        Subscriber subscriber = running.subscriber();
        CompletableFuture<Void> subscribing = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < count; i++) {
                Subscription subscription = subscriber.subscribe("t" + i + wildcard, message -> {});
                subscription.ready().join();
                if (i % 2 == 0) {
                    subscription.close();
                    subscription.closed().join();
                }
            }
        });
        List<TopicPublisher> topics = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            topics.add(announced(publisher, "t" + i));
        }
        subscribing.get(60, TimeUnit.SECONDS);
        for (int i = 0; i < count; i++) {
            TopicPublisher topic = topics.get(i);
            boolean expected = i % 2 == 1;
            await().until(() -> topic.hasSubscribers() == expected);
            List<Boolean> reported = reports.get("t" + i);
            assertThat(reported).last().isEqualTo(expected);
            for (int j = 1; j < reported.size(); j++) {
                assertThat(reported.get(j)).isNotEqualTo(reported.get(j - 1));
            }
        }
    }

    @Test
    void shouldReportNothingToAPublisherWithoutTheFeature() throws Exception {
        byte[] greeting = GreetingLayout.write("older", "");
        Arrays.fill(greeting, 5, 13, (byte) 0);
        RawClient older = new RawClient(running.clients(), running.address(), Role.PUBLISHER, greeting);
        older.createBuffer(1, 1000);
        older.announce(1, 1000, "t");
        assertThat(older.nextNotice()).startsWith("ANNOUNCED");
        subscribed("t");
        older.createBuffer(2, 1000);
        older.announce(2, 1000, "later");
        assertThat(older.nextNotice()).startsWith("ANNOUNCED");
        assertThat(older.interest()).isEmpty();
    }

    @Test
    void shouldCloseTheConnectionWhoseCallbackThrows() throws Exception {
        Publisher publisher = running.publisher(running.client(), new PublisherCallback() {
            @Override
            public void onInterest(String topic, boolean hasSubscribers) {
                throw new IllegalStateException("not understood");
            }
        });
        publisher.topic("t");
        assertThatThrownBy(() -> publisher.closed().get(60, TimeUnit.SECONDS)).hasMessageContaining("not understood");
    }

    @ParameterizedTest
    @ValueSource(strings = {"t", "+"})
    void shouldDropMessagesWhileATopicHasNoSubscribers(String filter) throws Exception {
        Publisher publisher = running.publisher(dropping);
        TopicPublisher topic = announced(publisher, "t");
        assertThat(topic.publish(text("1"))).isEqualTo(PublishResult.UNHEARD);
        assertThat(topic.tryPublish(text("2"))).isEqualTo(PublishResult.UNHEARD);
        assertThat(topic.publish(ByteBuffer.wrap(text("3")))).isEqualTo(PublishResult.UNHEARD);
        assertThat(topic.claim(1).refusal()).isEqualTo(PublishResult.UNHEARD);
        assertThat(topic.tryClaim(1).refusal()).isEqualTo(PublishResult.UNHEARD);
        assertThat(topic.unheardCount()).isEqualTo(5);
        assertThat(topic.publishedCount()).isZero();
        Messages messages = new Messages();
        Subscriber subscriber = running.subscriber();
        Subscription subscription = subscriber.subscribe(filter, messages);
        subscription.ready().get(60, TimeUnit.SECONDS);
        await().until(topic::hasSubscribers);
        assertThat(topic.publish(text("heard"))).isEqualTo(PublishResult.PUBLISHED);
        await().until(() -> messages.count() == 1);
        ended(subscription);
        await().until(() -> !topic.hasSubscribers());
        assertThat(topic.publish(text("4"))).isEqualTo(PublishResult.UNHEARD);
        assertThat(publisher.unheardCount()).isEqualTo(6);
        assertThat(publisher.publishedCount()).isEqualTo(1);
        assertThat(messages.texts()).containsExactly("heard");
        publisher.flush().get(60, TimeUnit.SECONDS);
        assertThat(running.broker().topics().get(0).publishers().get(0).receivedLength())
                .isEqualTo(4 + "heard".length());
    }

    @Test
    void shouldSendMessagesToATopicWithoutSubscribersByDefault() throws Exception {
        TopicPublisher topic = announced(running.publisher(), "t");
        assertThat(topic.hasSubscribers()).isFalse();
        assertThat(topic.publish(text("discarded"))).isEqualTo(PublishResult.PUBLISHED);
        assertThat(topic.unheardCount()).isZero();
    }

    @Test
    void shouldPublishAClaimThatWasGrantedBeforeTheLastSubscriberLeft() throws Exception {
        Subscription subscription = subscribed("t");
        TopicPublisher topic = announced(running.publisher(dropping), "t");
        Claim claim = topic.claim(1);
        ended(subscription);
        await().until(() -> !topic.hasSubscribers());
        claim.putByte(0, (byte) 1);
        assertThat(claim.commit()).isEqualTo(PublishResult.PUBLISHED);
        assertThat(topic.tryPublish(text("no more"))).isEqualTo(PublishResult.UNHEARD);
    }

    @Test
    void shouldReturnWhyATopicHasEndedInsteadOfUnheard() throws Exception {
        Publisher publisher = running.publisher(dropping);
        TopicPublisher closed = announced(publisher, "closed");
        TopicPublisher lost = announced(publisher, "lost");
        assertThat(closed.publish(text("1"))).isEqualTo(PublishResult.UNHEARD);
        closed.close();
        assertThat(closed.publish(text("2"))).isEqualTo(PublishResult.CLOSED);
        running.loseBroker();
        await().until(() -> publisher.closed().isDone());
        await().until(() -> lost.publish(text("3")) == PublishResult.NOT_CONNECTED);
    }

    @Test
    void shouldDropWithoutAllocating() throws Exception {
        TopicPublisher topic = announced(running.publisher(dropping), "t");
        byte[] message = new byte[100];
        double allocated = AllocatedBytes.perCall(10, 10_000, () -> {
            topic.tryPublish(message);
            topic.claim(100);
        });
        assertThat(topic.unheardCount()).isEqualTo(200_000);
        assertThat(allocated).isLessThan(1);
    }

    private TopicPublisher announced(Publisher publisher, String name) throws Exception {
        TopicPublisher topic = publisher.topic(name);
        topic.announced().get(60, TimeUnit.SECONDS);
        return topic;
    }

    /** Subscribes with a new subscriber. */
    private Subscription subscribed(String filter) throws Exception {
        return live(running.subscriber(), filter);
    }

    private static Subscription live(Subscriber subscriber, String filter) throws Exception {
        Subscription subscription = subscriber.subscribe(filter, message -> {});
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    private static void ended(Subscription subscription) throws Exception {
        subscription.close();
        subscription.closed().get(60, TimeUnit.SECONDS);
    }

    private static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }
}
