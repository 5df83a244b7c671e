package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.Continuity.FRAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests in which a subscriber's connection is lost and replaced, and the subscriber is notified of missed messages. */
@Tag("once")
@Timeout(600)
final class ReconnectSystemTest extends ReconnectFixture {
    private static final String MISSED = " missed while disconnected from the broker";

    private ClientSettings cuttable() {
        return cuttable(running.subscriberSettings());
    }

    @Test
    void shouldMissNothingWhenTheConnectionIsCutForLessTimeThanTheBrokerKeepsMessages() throws Exception {
        start("rbmq.broker.keep = 1 MiB");
        Subscriber subscriber = subscriber();
        live(subscriber.subscribe("a", seen));
        live(subscriber.subscribe("b/+", seen));
        TopicPublisher a = topic("a");
        TopicPublisher b = topic("b/1");
        int sent = 0;
        for (int cut = 1; cut <= 20; cut++) {
            for (int i = 0; i < 20; i++) {
                Continuity.publish(a, sent, sent + 100);
                Continuity.publish(b, sent, sent + 100);
                sent += 100;
                if (i == 10) {
                    proxy.cut();
                }
            }
            awaitReconnected(cut);
        }
        long end = sent;
        await().until(() -> seen.next("a") == end && seen.next("b/1") == end);
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.gaps()).isEmpty();
        assertThat(seen.receivedCount("a")).isEqualTo(seen.receivedCount("b/1")).isEqualTo(end);
        assertThat(seen.repeatedCount()).isZero();
        assertThat(subscriber.lostLength() + subscriber.unknownGapCount()).isZero();
        assertThat(subscriber.receivedCount()).isEqualTo(2 * end);
        assertThat(seen.events()).doesNotContain("other broker");
    }

    @Test
    void shouldReceiveOrBeToldOfEveryMessageWhenTheConnectionIsCutUnderLoad() throws Exception {
        start("rbmq.broker.capacity = 64 KiB", "rbmq.publisher.capacity = 64 KiB");
        Subscriber subscriber = subscriber();
        live(subscriber.subscribe("a", seen));
        live(subscriber.subscribe("b/#", seen));
        TopicPublisher a = topic("a");
        TopicPublisher b = topic("b");
        int sent = 0;
        for (int cut = 1; cut <= 20; cut++) {
            for (int i = 0; i < 20; i++) {
                Continuity.publish(a, sent, sent + 500);
                Continuity.publish(b, sent, sent + 500);
                sent += 500;
                if (i == 10) {
                    proxy.cut();
                }
            }
            awaitReconnected(cut);
        }
        long end = sent;
        await().until(() -> seen.next("a") >= end && seen.next("b") >= end);
        assertThat(seen.faults()).isEmpty();
        for (String topic : List.of("a", "b")) {
            assertThat(seen.receivedCount(topic) + seen.missedCount(topic)).isEqualTo(end);
        }
        assertThat(seen.repeatedCount()).isZero();
        assertThat(seen.gaps()).isNotEmpty().allSatisfy(gap -> {
            assertThat(gap.reason()).isEqualTo(Gap.Reason.RECONNECTED);
            assertThat(gap.publisher()).isPositive();
        });
        assertThat(subscriber.lostLength()).isEqualTo(FRAME * (seen.missedCount("a") + seen.missedCount("b")));
        assertThat(subscriber.unknownGapCount()).isZero();
    }

    @Test
    void shouldTellTheExactLengthOfWhatWasPublishedMeanwhile() throws Exception {
        start();
        Subscription subscription = live(subscriber().subscribe("t", seen));
        Publisher publisher = running.publisher();
        TopicPublisher topic = publisher.topic("t");
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t") == 10);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Continuity.publish(topic, 10, 25);
        assertThat(publisher.flush(60_000)).isTrue();
        proxy.mend();
        await().until(() -> seen.next("t") == 25);
        Continuity.publish(topic, 25, 30);
        await().until(() -> seen.next("t") == 30);
        assertThat(seen.gaps())
                .singleElement()
                .satisfies(gap -> assertThat(gap.lostLength()).isEqualTo(15 * FRAME));
        assertThat(seen.faults()).isEmpty();
        assertThat(subscription.lostLength()).isEqualTo(15 * FRAME);
        assertThat(subscription.receivedCount()).isEqualTo(15);
    }

    @Test
    void shouldLogHowMuchWasMissedWhileTheConnectionWasLost() throws Exception {
        start();
        live(subscriber().subscribe("t", seen));
        Publisher publisher = running.publisher();
        TopicPublisher topic = publisher.topic("t");
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t") == 10);
        try (LoggedLines logged = new LoggedLines()) {
            proxy.interrupt();
            await().until(() -> running.broker().state().subscriberCount() == 0);
            Continuity.publish(topic, 10, 25);
            assertThat(publisher.flush(60_000)).isTrue();
            proxy.mend();
            await().until(() -> !logged.with(MISSED).isEmpty());
            assertThat(logged.with(MISSED))
                    .containsExactly("WARN Messages were missed while disconnected from the broker: " + 15 * FRAME
                            + " bytes in 1 gap; the first in topic \"t\"");
        }
    }

    @Test
    void shouldLogOneLineAboutManyTopicsWhenTheBrokerIsRestarted() throws Exception {
        start();
        RbmqBroker first = startBehind(proxy, "");
        ClientSettings settings = running.client().withBroker(proxy.address()).withReconnect(SOON);
        Subscriber subscriber = running.subscriber(settings, seen);
        for (int i = 0; i < 300; i++) {
            live(subscriber.subscribe("t" + i, seen));
        }
        try (LoggedLines logged = new LoggedLines()) {
            first.rocketBufs().close();
            try (first;
                    RbmqBroker second = startBehind(proxy, "")) {
                await().until(() -> !logged.with(MISSED).isEmpty());
                assertThat(logged.with(MISSED))
                        .containsExactly("WARN Messages may have been missed while disconnected from the broker: an"
                                + " unknown number of bytes in 300 gaps; the first in topic \"t0\"");
                assertThat(second.broker().isReady()).isTrue();
                subscriber.close();
            }
        }
    }

    @Test
    void shouldTellHowMuchOfANewPublisherWasMissed() throws Exception {
        start();
        live(subscriber().subscribe("t", seen));
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Publisher publisher = running.publisher();
        TopicPublisher topic = publisher.topic("t");
        Continuity.publish(topic, 0, 7);
        assertThat(publisher.flush(60_000)).isTrue();
        proxy.mend();
        await().until(() -> seen.next("t") == 7);
        assertThat(seen.gaps()).singleElement().satisfies(gap -> {
            assertThat(gap.lostLength()).isEqualTo(7 * FRAME);
            assertThat(gap.reason()).isEqualTo(Gap.Reason.RECONNECTED);
        });
    }

    @Test
    void shouldTellThatItIsNotKnownWhatAPublisherSentThatHasLeft() throws Exception {
        start();
        live(subscriber().subscribe("t", seen));
        live(subscriber().subscribe("other", seen));
        Publisher leaving = running.publisher();
        Continuity.publish(leaving.topic("t"), 0, 10);
        await().until(() -> seen.next("t") == 10);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Continuity.publish(leaving.topic("t"), 10, 20);
        leaving.close();
        proxy.mend();
        await().until(() -> !seen.gaps().isEmpty());
        assertThat(seen.gaps()).containsExactly(new Gap("t", 0, Gap.UNKNOWN, Gap.Reason.PUBLISHER_LEFT));
        assertThat(seen.faults()).isEmpty();
    }

    @Test
    void shouldTellThatItIsNotKnownWhatPublishersSentThatHaveJoinedAndLeftMeanwhile() throws Exception {
        start();
        Subscriber subscriber = subscriber();
        live(subscriber.subscribe("t", seen));
        live(subscriber.subscribe("u/+", seen));
        live(subscriber.subscribe("quiet", seen));
        // Departures that the subscriber has seen are not reported as gaps later.
        for (String topic : List.of("t", "u/1", "quiet")) {
            try (Publisher seenLeaving = Publisher.connect(running.clients(), running.publisherSettings())) {
                Continuity.publish(seenLeaving.topic(topic), 0, 1);
            }
        }
        await().until(() -> seen.ends() == 3);
        Publisher known = running.publisher();
        known.topic("quiet").announced().get(60, TimeUnit.SECONDS);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        for (String topic : List.of("t", "u/2", "elsewhere")) {
            try (Publisher unseen = Publisher.connect(running.clients(), running.publisherSettings())) {
                Continuity.publish(unseen.topic(topic), 0, 5);
            }
        }
        await().until(() -> running.broker().state().publisherCount() == 1);
        proxy.mend();
        await().until(() -> seen.gaps().size() == 2);
        assertThat(seen.gaps())
                .containsExactly(
                        new Gap("t", 0, Gap.UNKNOWN, Gap.Reason.PUBLISHER_LEFT),
                        new Gap("u/+", 0, Gap.UNKNOWN, Gap.Reason.PUBLISHER_LEFT));
        proxy.cut();
        awaitReconnected(2);
        // Waits until the buffer, which both subscriptions share, is available again.
        live(subscriber.subscribe("quiet", message -> {}));
        Continuity.publish(known.topic("quiet"), 1, 2);
        await().until(() -> seen.next("quiet") == 2);
        assertThat(seen.gaps()).hasSize(2);
        assertThat(seen.faults()).isEmpty();
    }

    @Test
    void shouldContinueAPausedSubscriptionWhereItWasPaused() throws Exception {
        start("rbmq.broker.keep = 1 MiB");
        Subscription paused = live(subscriber().subscribe("t", seen));
        TopicPublisher topic = topic("t");
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t") == 10);
        paused.pause();
        Continuity.publish(topic, 10, 20);
        await().until(() -> running.unreadLength() == 10 * Continuity.FRAME);
        proxy.cut();
        awaitReconnected(1);
        Continuity.publish(topic, 20, 30);
        paused.resume();
        await().until(() -> seen.next("t") == 30);
        assertThat(seen.gaps()).isEmpty();
        assertThat(seen.faults()).isEmpty();
        await().until(() -> paused.receivedCount() == 30); // counted only after the transfer
    }

    @Test
    void shouldMakeAndEndSubscriptionsWhileTheConnectionIsLost() throws Exception {
        start();
        Subscriber subscriber = subscriber();
        Subscription ending = live(subscriber.subscribe("ending", seen));
        proxy.interrupt();
        await().until(() -> !subscriber.isConnected());
        Subscription made = subscriber.subscribe("made", seen);
        Subscription never = subscriber.subscribe("never", seen);
        ending.close();
        never.close();
        ending.closed().get(60, TimeUnit.SECONDS);
        never.closed().get(60, TimeUnit.SECONDS);
        assertThat(made.ready()).isNotDone();
        proxy.mend();
        live(made);
        Continuity.publish(topic("made"), 0, 5);
        await().until(() -> seen.next("made") == 5);
        await().until(() -> running.broker().topics().stream()
                .noneMatch(
                        topic -> topic.name().equals("ending") || topic.name().equals("never")));
        assertThat(seen.gaps()).isEmpty();
        assertThat(seen.faults()).isEmpty();
    }

    @Test
    void shouldTellEachSubscriptionOnlyWhatItHasMissedItself() throws Exception {
        start();
        List<Gap> old = new ArrayList<>();
        List<Gap> young = new ArrayList<>();
        Subscriber subscriber = subscriber();
        live(subscriber.subscribe("t/+", seen, SubscriptionOptions.DEFAULTS.withGapHandler(old::add)));
        Publisher publisher = running.publisher();
        TopicPublisher topic = publisher.topic("t/1");
        Continuity.publish(topic, 0, 10);
        await().until(() -> seen.next("t/1") == 10);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Continuity.publish(topic, 10, 15);
        assertThat(publisher.flush(60_000)).isTrue();
        Subscription late = subscriber.subscribe("t/1", seen, SubscriptionOptions.DEFAULTS.withGapHandler(young::add));
        proxy.mend();
        live(late);
        await().until(() -> !seen.gaps().isEmpty());
        assertThat(old)
                .singleElement()
                .satisfies(gap -> assertThat(gap.lostLength()).isEqualTo(5 * FRAME));
        assertThat(young).isEmpty();
        assertThat(late.lostLength()).isZero();
    }

    @Test
    void shouldTellOncePerTopicThatItIsNotKnownWhatWasMissedWhenTheBrokerIsRestarted() throws Exception {
        start();
        RbmqBroker first = startBehind(proxy, "");
        ClientSettings settings = running.client().withBroker(proxy.address()).withReconnect(SOON);
        Subscriber subscriber = running.subscriber(settings, seen);
        live(subscriber.subscribe("a", seen));
        live(subscriber.subscribe("a", message -> {}));
        live(subscriber.subscribe("b/+", seen));
        live(subscriber.subscribe("quiet", seen));
        Publisher publisher = running.publisher(settings.withReconnect(SOON.withEnabled(false)));
        Continuity.publish(publisher.topic("a"), 0, 10);
        Continuity.publish(publisher.topic("b/1"), 0, 10);
        await().until(() -> seen.next("a") == 10 && seen.next("b/1") == 10);
        first.rocketBufs().close();
        await().until(() -> !subscriber.isConnected());
        try (first;
                RbmqBroker second = startBehind(proxy, "")) {
            awaitReconnected(1);
            await().until(() -> seen.gaps().size() == 4);
            assertThat(seen.gaps())
                    .extracting(Gap::topic, Gap::lostLength, Gap::reason)
                    .containsExactly(tuple("a"), tuple("b/+"), tuple("b/1"), tuple("quiet"));
            assertThat(subscriber.unknownGapCount()).isEqualTo(5); // there are two subscriptions to topic a
            Publisher next = running.publisher(settings.withReconnect(SOON.withEnabled(false)));
            await().until(() -> second.broker().state().topicCount() >= 2);
            Continuity.publish(next.topic("a"), 15, 20);
            await().until(() -> seen.next("a") == 20);
            assertThat(seen.events()).contains("other broker").doesNotContain("same broker");
            assertThat(seen.faults()).isEmpty();
            subscriber.close();
        }
    }

    private static org.assertj.core.groups.Tuple tuple(String topic) {
        return org.assertj.core.api.Assertions.tuple(topic, Gap.UNKNOWN, Gap.Reason.OTHER_BROKER);
    }

    /**
     * Starts another broker and makes a proxy forward new connections to it. The address for clients stays the same,
     * whereas another program could take the port of a closed broker.
     */
    static RbmqBroker startBehind(CuttableProxy proxy, String config) {
        RbmqBroker broker = RbmqBroker.start(ConfigFactory.parseString(config));
        proxy.leadTo(HostPort.parse(broker.address()).resolve());
        return broker;
    }

    @Test
    void shouldTryTheNextAddressWhenTheBrokerIsGone() throws Exception {
        start();
        RbmqBroker first = RbmqBroker.start();
        ClientSettings settings = running.client()
                .withBrokers(List.of(HostPort.parse(first.address()), HostPort.parse(HostPort.of(running.address()))))
                .withReconnect(SOON);
        Subscriber subscriber = running.subscriber(settings, seen);
        live(subscriber.subscribe("t", seen));
        first.close();
        awaitReconnected(1);
        Continuity.publish(topic("t"), 3, 5);
        await().until(() -> seen.next("t") == 5);
        assertThat(seen.gaps()).extracting(Gap::reason).containsExactly(Gap.Reason.OTHER_BROKER);
    }

    @Test
    void shouldNotTryAgainAfterARefusal() throws Exception {
        start();
        RbmqBroker first = startBehind(proxy, "");
        ClientSettings settings =
                running.client().withBroker(proxy.address()).withReconnect(SOON).withToken("old");
        Subscriber subscriber = running.subscriber(settings, seen);
        Subscription subscription = live(subscriber.subscribe("t", seen));
        Publisher publisher = running.publisher(settings);
        TopicPublisher topic = publisher.topic("t");
        first.close();
        try (RbmqBroker second = startBehind(proxy, "rbmq.credentials = [new]")) {
            assertThatThrownBy(() -> subscriber.closed().get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.REFUSED))
                    .hasMessageContaining("the token is not valid");
            assertThatThrownBy(() -> publisher.closed().get(60, TimeUnit.SECONDS))
                    .hasMessageContaining("the token is not valid");
            assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
            await().until(() -> topic.tryPublish(new byte[1]) == PublishResult.NOT_CONNECTED);
            assertThat(second.broker().state().refusedCount()).isEqualTo(2);
        }
    }

    @Test
    void shouldGiveUpAfterTheConfiguredTime() throws Exception {
        start();
        Subscriber subscriber = running.subscriber(cuttable().withReconnect(SOON.withGiveUpAfter(100)), seen);
        proxy.interrupt();
        assertThatThrownBy(() -> subscriber.closed().get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(TransportException.class);
        assertThat(seen.reconnectCount()).isZero();
        assertThat(seen.events()).isNotEmpty();
    }

    @Test
    void shouldEndWithTheConnectionIfReconnectingIsOff() throws Exception {
        start();
        Subscriber subscriber = running.subscriber(cuttable().withReconnect(SOON.withEnabled(false)), seen);
        Subscription subscription = live(subscriber.subscribe("t", seen));
        proxy.cut();
        assertThatThrownBy(() -> subscriber.closed().get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(TransportException.class);
        assertThat(subscription.closed()).succeedsWithin(60, TimeUnit.SECONDS);
        assertThat(seen.events()).isEmpty();
        assertThat(proxy.acceptedCount()).isEqualTo(1);
    }

    @Test
    void shouldReconnectASubscriberThatTheBrokerHasDisconnectedForBeingSlow() throws Exception {
        start(
                "rbmq.broker.capacity = 64 KiB",
                "rbmq.publisher.capacity = 64 KiB",
                "rbmq.subscriber.capacity = 64 KiB",
                "rocketbufs.heartbeat-interval = 20 ms",
                "rbmq.broker.lag-timeout = 50 ms");
        Subscription slow = live(subscriber().subscribe("t", seen, SlowPolicy.DISCONNECT));
        TopicPublisher topic = topic("t");
        slow.pause();
        Continuity.publish(topic, 0, 40_000);
        awaitReconnected(1);
        slow.resume();
        Continuity.publish(topic, 40_000, 40_001);
        await().until(() -> seen.next("t") == 40_001);
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.receivedCount("t") + seen.missedCount("t")).isEqualTo(40_001);
    }
}
