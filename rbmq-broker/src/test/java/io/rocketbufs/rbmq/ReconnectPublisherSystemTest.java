package io.rocketbufs.rbmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.broker.RbmqBroker;
import io.rocketbufs.rbmq.client.Claim;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.PublishBatch;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.client.Unconfirmed;
import io.rocketbufs.rbmq.client.WhenUnheard;
import io.rocketbufs.rbmq.protocol.AnnounceLayout;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.SubscribeLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests in which a publisher's connection is lost and replaced, and its unconfirmed messages are resent or dropped. */
@Tag("once")
@Timeout(600)
final class ReconnectPublisherSystemTest extends ReconnectFixture {
    private ClientSettings cuttable() {
        return cuttable(running.publisherSettings());
    }

    private void subscribe(String... topics) throws Exception {
        Subscriber subscriber = running.subscriber(running.subscriberSettings(), seen);
        for (String topic : topics) {
            subscriber.subscribe(topic, seen).ready().get(WAIT_S, TimeUnit.SECONDS);
        }
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(8).putLong(number).array();
    }

    @Test
    void shouldSendUnconfirmedMessagesAgainWhenTheConnectionIsCutUnderLoad() throws Exception {
        start("rbmq.broker.capacity = 64 KiB", "rbmq.publisher.capacity = 64 KiB");
        subscribe("a", "b");
        Publisher publisher = running.publisher(cuttable());
        TopicPublisher a = publisher.topic("a");
        TopicPublisher b = publisher.topic("b");
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
            int connections = cut + 1;
            await().until(() -> proxy.acceptedCount() >= connections && publisher.isConnected());
        }
        long end = sent;
        publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
        await().until(() -> seen.next("a") == end && seen.next("b") == end);
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.gaps()).isEmpty();
        assertThat(seen.receivedCount("a")).isEqualTo(seen.receivedCount("b")).isEqualTo(end);
        assertThat(publisher.publishedCount())
                .isEqualTo(publisher.confirmedCount())
                .isEqualTo(2 * end);
        assertThat(publisher.unconfirmedCount() + publisher.droppedCount()).isZero();
        assertThat(publisher.resentCount()).isPositive();
        assertThat(publisher.resentCount()).isEqualTo(a.resentCount() + b.resentCount());
    }

    @Test
    void shouldDropCountReportAndLogUnconfirmedMessagesIfConfigured() throws Exception {
        start("rbmq.broker.capacity = 64 KiB", "rbmq.publisher.capacity = 64 KiB");
        subscribe("t");
        AtomicLong reported = new AtomicLong();
        LoggedLines logged = running.opened(new LoggedLines());
        Publisher publisher = running.publisher(cuttable().withUnconfirmed(Unconfirmed.DROP), new PublisherCallback() {
            @Override
            public void onDropped(String topic, long count) {
                reported.addAndGet(topic.equals("t") && count > 0 ? count : Long.MIN_VALUE);
            }
        });
        TopicPublisher topic = publisher.topic("t");
        long number = 0;
        long refused = 0;
        for (int cut = 1; cut <= 10; cut++) {
            for (int i = 0; i < 5000; i++) {
                PublishResult result = topic.publish(number(number));
                if (result == PublishResult.PUBLISHED) {
                    number++;
                } else {
                    assertThat(result).isEqualTo(PublishResult.NOT_CONNECTED);
                    refused++;
                }
                if (i == 2500) {
                    proxy.cut();
                }
            }
            await().until(() -> topic.tryPublish(number(Long.MAX_VALUE / 2)) == PublishResult.PUBLISHED);
        }
        // The first attempt fails if the publisher has not yet noticed the last cut.
        await().ignoreExceptionsInstanceOf(ExecutionException.class).until(() -> {
            publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
            return true;
        });
        assertThat(publisher.publishedCount()).isEqualTo(number + 10);
        assertThat(publisher.unconfirmedCount()).isZero();
        assertThat(publisher.resentCount()).isZero();
        assertThat(publisher.droppedCount()).isPositive().isEqualTo(topic.droppedCount());
        await().until(() -> reported.get() == publisher.droppedCount());
        assertThat(logged.with(" of topic \"t\", because the broker had not confirmed them").stream()
                        .mapToLong(line -> Long.parseLong(line.split(" ")[2])) // WARN Dropped N messages
                        .sum())
                .isEqualTo(publisher.droppedCount());
        assertThat(refused).isPositive();
        assertThat(publisher.confirmedCount() + publisher.droppedCount()).isEqualTo(publisher.publishedCount());
        // The ten equal messages count as one.
        long least = publisher.confirmedCount() - 10;
        await().until(() -> seen.receivedCount("t") >= least);
        assertThat(seen.receivedCount("t")).isBetween(least, number + 1);
    }

    @Test
    void shouldKeepWhatIsPublishedWhileTheConnectionIsLostUntilTheBufferIsFull() throws Exception {
        start("rbmq.publisher.capacity = 4 KiB");
        subscribe("t");
        List<String> events = new CopyOnWriteArrayList<>();
        Publisher publisher = running.publisher(cuttable(), new PublisherCallback() {
            @Override
            public void onDisconnected(TransportException cause, long nextAttemptMs) {
                events.add("lost");
            }

            @Override
            public void onReconnected(String broker, boolean isSame) {
                events.add(broker.equals(HostPort.of(proxy.address())) && isSame ? "same broker" : broker);
            }
        });
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(WAIT_S, TimeUnit.SECONDS);
        proxy.interrupt();
        await().until(() -> events.contains("lost"));
        long published = 0;
        while (topic.tryPublish(number(published)) == PublishResult.PUBLISHED) {
            published++;
        }
        assertThat(published).isEqualTo(4096 / Continuity.FRAME);
        assertThat(topic.tryPublish(new byte[8])).isEqualTo(PublishResult.NO_SPACE);
        TopicPublisher young = publisher.topic("young");
        young.publish(number(0));
        CompletableFuture<Void> flushed = publisher.flush();
        assertThat(flushed).isNotDone();
        proxy.mend();
        flushed.get(WAIT_S, TimeUnit.SECONDS);
        assertThat(young.announced()).isCompleted();
        long end = published;
        await().until(() -> seen.next("t") == end);
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.repeatedCount()).isZero();
        assertThat(events).endsWith("same broker");
        assertThat(young.resentCount()).isZero();
    }

    @Test
    void shouldCompleteAFlushInFlightOnlyWhenTheNextBrokerHasConsumedTheMessages() throws Exception {
        start("rbmq.publisher.capacity = 64 KiB");
        RocketBufs silent = running.another();
        List<HostPort> brokers = List.of(
                HostPort.parse(HostPort.of(RunningBroker.silent(silent))),
                HostPort.parse(HostPort.of(running.address())));
        Publisher publisher = running.publisher(cuttable().withBrokers(brokers));
        subscribe("t");
        Continuity.publish(publisher.topic("t"), 0, 1000);
        CompletableFuture<Void> flushed = publisher.flush();
        assertThat(flushed).isNotDone();
        silent.close();
        flushed.get(WAIT_S, TimeUnit.SECONDS);
        assertThat(publisher.unconfirmedCount()).isZero();
        await().until(() -> seen.next("t") == 1000);
        assertThat(seen.faults()).isEmpty();
    }

    @Test
    void shouldFailAFlushInFlightWhoseMessagesAreDropped() throws Exception {
        start();
        RocketBufs silent = running.another();
        List<HostPort> brokers = List.of(
                HostPort.parse(HostPort.of(RunningBroker.silent(silent))),
                HostPort.parse(HostPort.of(running.address())));
        Publisher publisher = running.publisher(cuttable().withBrokers(brokers).withUnconfirmed(Unconfirmed.DROP));
        TopicPublisher topic = publisher.topic("t");
        Claim claim = topic.claim(8);
        topic.publish(number(0));
        CompletableFuture<Void> flushed = publisher.flush();
        silent.close();
        assertThatThrownBy(() -> flushed.get(WAIT_S, TimeUnit.SECONDS))
                .hasCauseInstanceOf(TransportException.class)
                .hasMessageContaining("the connection to the broker was lost");
        assertThat(claim.commit()).isEqualTo(PublishResult.NOT_CONNECTED);
        await().until(() -> topic.tryPublish(number(1)) == PublishResult.PUBLISHED);
        publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
        assertThat(topic.droppedCount()).isEqualTo(1);
        assertThat(topic.publishedCount()).isEqualTo(2);
    }

    @Test
    void shouldSendEveryMessageOfBatchesWhenTheConnectionIsCutBetweenTheirMessages() throws Exception {
        start("rbmq.broker.capacity = 64 KiB", "rbmq.publisher.capacity = 64 KiB");
        subscribe("t");
        Publisher publisher = running.publisher(cuttable());
        TopicPublisher topic = publisher.topic("t");
        PublishBatch batch = topic.batch();
        long number = 0;
        for (int cut = 1; cut <= 10; cut++) {
            for (int i = 0; i < 5000; i++) {
                assertThat(batch.add(number(number++))).isTrue();
                if (i % 100 == 99) {
                    assertThat(batch.publish()).isEqualTo(PublishResult.PUBLISHED);
                }
                if (i == 2550) {
                    proxy.cut();
                }
            }
            int connections = cut + 1;
            await().until(() -> proxy.acceptedCount() >= connections && publisher.isConnected());
        }
        publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
        await().until(() -> seen.next("t") == 50_000);
        assertThat(seen.faults()).isEmpty();
        assertThat(seen.gaps()).isEmpty();
        assertThat(topic.publishedCount()).isEqualTo(batch.publishedCount()).isEqualTo(50_000);
        assertThat(publisher.unconfirmedCount() + publisher.droppedCount()).isZero();
    }

    @Test
    void shouldRefuseABatchOfALostConnectionAndContinueWithTheNextIfMessagesAreDropped() throws Exception {
        start();
        subscribe("t");
        Publisher publisher = running.publisher(cuttable().withUnconfirmed(Unconfirmed.DROP));
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(WAIT_S, TimeUnit.SECONDS);
        PublishBatch batch = topic.batch();
        batch.add(number(1000));
        proxy.cut();
        await().until(() -> proxy.acceptedCount() >= 2 && publisher.isConnected());
        batch.add(number(1001));
        assertThat(batch.publish()).isEqualTo(PublishResult.NOT_CONNECTED);
        assertThat(batch.publishedCount()).isZero();
        await().until(() -> batch.tryAdd(number(0)));
        batch.add(number(1));
        assertThat(batch.publish()).isEqualTo(PublishResult.PUBLISHED);
        publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
        await().until(() -> seen.receivedCount("t") == 2);
        assertThat(topic.publishedCount()).isEqualTo(batch.publishedCount()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldFlushAgainWhenATopicWithDroppedMessagesWasClosed(boolean isClosedAfterLoss) throws Exception {
        start();
        RocketBufs silent = running.another();
        List<HostPort> brokers = List.of(
                HostPort.parse(HostPort.of(RunningBroker.silent(silent))),
                HostPort.parse(HostPort.of(proxy.address())));
        proxy.interrupt();
        Publisher publisher = running.publisher(cuttable().withBrokers(brokers).withUnconfirmed(Unconfirmed.DROP));
        TopicPublisher topic = publisher.topic("t");
        topic.publish(number(0));
        if (!isClosedAfterLoss) {
            topic.close();
        }
        silent.close();
        await().until(() -> topic.droppedCount() == 1);
        topic.close();
        assertThat(publisher.flush(60_000)).isFalse();
        proxy.mend();
        await().until(publisher::isConnected);
        await().until(() -> publisher.publish("other", number(0)) == PublishResult.PUBLISHED);
        publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
        assertThat(publisher.droppedCount()).isEqualTo(1);
        assertThat(publisher.unconfirmedCount()).isZero();
    }

    @Test
    void shouldFailAFlushInFlightWhenThePublisherGivesUp() throws Exception {
        start();
        RocketBufs silent = running.another();
        Publisher publisher = running.publisher(running.publisherSettings()
                .withBroker(RunningBroker.silent(silent))
                .withReconnect(SOON.withGiveUpAfter(50)));
        publisher.publish("t", number(0));
        CompletableFuture<Void> flushed = publisher.flush();
        silent.close();
        assertThatThrownBy(() -> flushed.get(WAIT_S, TimeUnit.SECONDS))
                .hasMessageContaining("1 of 1 messages were not confirmed by the broker");
        assertThat(publisher.publish("t", number(1))).isEqualTo(PublishResult.NOT_CONNECTED);
        assertThat(publisher.unconfirmedCount()).isEqualTo(1);
    }

    @Test
    void shouldSendNothingTwiceThatWasConfirmedInWholeTransfers() throws Exception {
        start();
        subscribe("t");
        Publisher publisher = running.publisher(cuttable());
        TopicPublisher topic = publisher.topic("t");
        for (int i = 0; i < 10; i++) {
            Continuity.publish(topic, i, i + 1);
            publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
            proxy.cut();
            int connections = i + 2;
            await().until(() -> proxy.acceptedCount() >= connections && publisher.isConnected());
        }
        Continuity.publish(topic, 10, 11);
        await().until(() -> seen.next("t") == 11);
        assertThat(seen.repeatedCount()).isZero();
        assertThat(publisher.resentCount()).isZero();
    }

    @Test
    void shouldAskTheNextBrokerForTheInterestInATopic() throws Exception {
        start();
        Publisher publisher = running.publisher(cuttable().withWhenUnheard(WhenUnheard.DROP));
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(WAIT_S, TimeUnit.SECONDS);
        assertThat(topic.publish(number(0))).isEqualTo(PublishResult.UNHEARD);
        proxy.interrupt();
        await().until(() -> !publisher.isConnected());
        subscribe("t");
        await().until(() -> topic.publish(number(0)) == PublishResult.PUBLISHED);
        proxy.mend();
        await().until(() -> seen.next("t") == 1);
        assertThat(topic.hasSubscribers()).isTrue();
        assertThat(topic.unheardCount()).isPositive();
    }

    @Test
    void shouldFinishATopicThatWasClosedBeforeTheConnectionWasLost() throws Exception {
        start();
        subscribe("t");
        Publisher publisher = running.publisher(cuttable());
        TopicPublisher topic = publisher.topic("t");
        topic.announced().get(WAIT_S, TimeUnit.SECONDS);
        proxy.interrupt();
        await().until(() -> !publisher.isConnected());
        Continuity.publish(topic, 0, 10);
        topic.close();
        assertThat(topic.publish(number(10))).isEqualTo(PublishResult.CLOSED);
        proxy.mend();
        await().until(() -> seen.next("t") == 10);
        publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
        await().until(() -> running.clients().memoryInUse() <= 2 << 20);
    }

    @Test
    void shouldSubscribeWithTheSameIdentityWhenABufferIsAnnouncedAgain() throws Exception {
        start();
        long first = identityOfSubscriber(running, 1);
        assertThat(first).isNotZero();
        assertThat(identityOfSubscriber(running, 1)).isEqualTo(first);
        try (RunningBroker other = new RunningBroker()) {
            assertThat(identityOfSubscriber(other, 1)).isNotEqualTo(first);
        }
    }

    /** Announces a buffer over a new connection, and returns the identity in the broker's request for it. */
    private static long identityOfSubscriber(RunningBroker broker, int bufferId) throws IOException {
        try (RawSocket publisher = new RawSocket(broker.address(), Role.PUBLISHER)) {
            publisher.send(AnnounceLayout.write(bufferId, 1 << 16, "t"));
            ByteBuffer message = publisher.nextControl();
            while (ControlType.of(ControlLayout.typeCode(message)) != ControlType.SUBSCRIBE) {
                message = publisher.nextControl();
            }
            return SubscribeLayout.identity(message.position(ControlLayout.HEADER_LENGTH));
        }
    }

    @ParameterizedTest
    @EnumSource(Unconfirmed.class)
    void shouldComeBackWithMoreTopicsAndSubscriptionsThanItSendsAtOnce(Unconfirmed unconfirmed) throws Exception {
        int count = 600;
        start(
                "rbmq.broker.capacity = 4 KiB",
                "rbmq.broker.join-timeout = 1 m",
                "rbmq.publisher.capacity = 4 KiB",
                "rbmq.subscriber.capacity = 4 KiB");
        Subscriber subscriber = running.subscriber(
                running.subscriberSettings().withBroker(proxy.address()).withReconnect(SOON), seen);
        Publisher publisher = running.publisher(cuttable().withUnconfirmed(unconfirmed));
        for (int i = 0; i < count; i++) {
            publisher.topic("t" + i);
            subscriber.subscribe("t" + i, seen);
        }
        publisher.flush().get(WAIT_S, TimeUnit.SECONDS);
        await().until(() -> subscribedCount() == count);
        proxy.cut();
        await().until(() -> publisher.reconnectCount() == 1 && subscriber.reconnectCount() == 1);
        await().until(() -> subscribedCount() == count);
        Set<Integer> left = new HashSet<>();
        for (int i = 0; i < count; i++) {
            left.add(i);
        }
        await().until(() -> {
            left.removeIf(i -> publisher.publish("t" + i, number(0)) == PublishResult.PUBLISHED);
            return left.isEmpty();
        });
        // A message that the broker received before the subscriber was live again is reported as missing.
        await().until(() -> subscriber.receivedCount() + missedCount() == count);
        assertThat(publisher.resentCount() + publisher.droppedCount()).isZero();
    }

    private long missedCount() {
        return seen.gaps().stream()
                .filter(Gap::isKnown)
                .mapToLong(gap -> gap.lostLength() / Continuity.FRAME)
                .sum();
    }

    private long subscribedCount() {
        return running.broker().topics().stream()
                .filter(topic ->
                        !topic.publishers().isEmpty() && !topic.subscribers().isEmpty())
                .count();
    }

    @Test
    void shouldLeadBothConnectionsOfAClientToTheSameBroker() throws Exception {
        start();
        RbmqBroker first = RbmqBroker.start();
        ClientOptions options = ClientOptions.from(RunningBroker.config())
                .withBrokers(first.address() + "," + HostPort.of(running.address()))
                .withReconnect(SOON)
                .withCallback(seen);
        try (RbmqClient client = RbmqClient.connect(options)) {
            client.subscribe("t", seen).ready().get(WAIT_S, TimeUnit.SECONDS);
            Continuity.publish(client.topic("t"), 0, 10);
            await().until(() -> seen.next("t") == 10);
            first.close();
            await().until(() -> client.publisher().isConnected()
                    && client.subscriber().isConnected()
                    && client.publisher().broker().brokerId()
                            == client.subscriber().broker().brokerId());
            await().until(() -> seen.reconnectCount() == 1);
            await().until(() -> client.topic("t").hasSubscribers());
            await().until(() -> {
                Continuity.publish(client.topic("t"), 10, 11);
                return seen.next("t") == 11;
            });
            assertThat(seen.faults()).isEmpty();
            assertThat(seen.gaps()).extracting(Gap::reason).containsExactly(Gap.Reason.OTHER_BROKER);
            assertThat(client.closed()).isNotDone();
        }
    }
}
