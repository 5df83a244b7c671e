package io.rocketbufs.rbmq;

import static io.rocketbufs.rbmq.Continuity.FRAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.rbmq.broker.TopicState;
import io.rocketbufs.rbmq.broker.TopicState.PublisherState;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests in which topics of one publisher are treated differently because different rules of {@code rbmq.topics} apply.
 */
@Timeout(600)
final class TopicRulesSystemTest {
    private final Continuity seen = new Continuity();
    private RunningBroker running;

    private void start(String... settings) {
        running = new RunningBroker(settings);
    }

    @AfterEach
    void close() {
        running.close();
    }

    private Subscription live(Subscriber subscriber, String filter) throws Exception {
        Subscription subscription = subscriber.subscribe(filter, seen);
        subscription.ready().get(60, TimeUnit.SECONDS);
        return subscription;
    }

    private TopicState topic(String name) {
        return running.broker().topics().stream()
                .filter(topic -> topic.name().equals(name))
                .findAny()
                .orElseThrow();
    }

    @Test
    void shouldBlockOnOneTopicAndSkipOnAnotherWhenASubscriberIsSlow() throws Exception {
        start(
                "rbmq.broker { capacity = 64 KiB, stall-timeout = 1 h }",
                "rbmq.publisher.capacity = 64 KiB",
                "rbmq.subscriber.capacity = 64 KiB",
                "rbmq.topics = [{ match = \"prices/#\", slow-policy = skip }]");
        int count = 40_000; // more than all buffers combined can hold
        Subscriber subscriber = running.subscriber(running.subscriberSettings(), seen);
        Subscription prices = live(subscriber, "prices/eu");
        Subscription trades = live(subscriber, "trades/eu");
        Publisher publisher = running.publisher();
        TopicPublisher toPrices = publisher.topic("prices/eu");
        TopicPublisher toTrades = publisher.topic("trades/eu");
        prices.pause();
        trades.pause();
        CompletableFuture<Void> blocked = new CompletableFuture<>();
        Thread publishing = new Thread(() -> {
            Continuity.publish(toTrades, 0, count);
            blocked.complete(null);
        });
        publishing.start();
        Continuity.publish(toPrices, 0, count);
        assertThat(blocked).isNotDone();
        assertThat(topic("prices/eu").rule()).isEqualTo("prices/#");
        assertThat(topic("prices/eu").subscribers())
                .extracting(SubscriberState::policy)
                .containsExactly("skip");
        assertThat(topic("trades/eu").rule()).isNull();
        assertThat(topic("trades/eu").subscribers())
                .extracting(SubscriberState::policy)
                .containsExactly("block");
        prices.resume();
        trades.resume();
        blocked.get(120, TimeUnit.SECONDS);
        await().until(() -> seen.next("prices/eu") == count && seen.next("trades/eu") == count);
        assertThat(seen.receivedCount("trades/eu")).isEqualTo(count);
        assertThat(seen.missedCount("prices/eu")).isPositive();
        assertThat(seen.receivedCount("prices/eu") + seen.missedCount("prices/eu"))
                .isEqualTo(count);
        assertThat(seen.gaps()).extracting(Gap::topic).containsOnly("prices/eu");
        assertThat(seen.faults()).isEmpty();
    }

    @Test
    void shouldMissNothingAfterAReconnectOnlyOnTheTopicWhoseRuleKeepsMessages() throws Exception {
        start("rbmq.topics = [{ match = \"trades/#\", keep = 1 MiB }]");
        CuttableProxy proxy = running.opened(new CuttableProxy(running.address()));
        Subscriber subscriber = running.subscriber(
                running.subscriberSettings().withBroker(proxy.address()).withReconnect(ReconnectFixture.SOON), seen);
        live(subscriber, "trades/+");
        live(subscriber, "prices/+");
        Publisher publisher = running.publisher();
        TopicPublisher trades = publisher.topic("trades/eu");
        TopicPublisher prices = publisher.topic("prices/eu");
        Continuity.publish(trades, 0, 10);
        Continuity.publish(prices, 0, 10);
        await().until(() -> seen.next("trades/eu") == 10 && seen.next("prices/eu") == 10);
        proxy.interrupt();
        await().until(() -> running.broker().state().subscriberCount() == 0);
        Continuity.publish(trades, 10, 1000);
        Continuity.publish(prices, 10, 1000);
        assertThat(publisher.flush(60_000)).isTrue();
        proxy.mend();
        await().until(() -> seen.next("trades/eu") == 1000 && seen.next("prices/eu") == 1000);
        assertThat(seen.receivedCount("trades/eu")).isEqualTo(1000);
        assertThat(seen.gaps()).singleElement().satisfies(gap -> {
            assertThat(gap.topic()).isEqualTo("prices/eu");
            assertThat(gap.lostLength()).isEqualTo(990 * FRAME);
            assertThat(gap.reason()).isEqualTo(Gap.Reason.RECONNECTED);
        });
        assertThat(seen.faults()).isEmpty();
    }

    @Test
    void shouldTreatInboxesLikeWithoutRulesWhenARuleMatchesEveryTopic() throws Exception {
        start("rbmq.topics = [{ match = \"#\", capacity = 2 MiB, max-capacity = 4 MiB, keep = 1 MiB }]");
        String inbox = InboxName.random();
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        publisher.createBuffer(1, 4096);
        publisher.announce(1, 4096, inbox);
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCED");
        publisher.createBuffer(2, 4096);
        publisher.announce(2, 4096, "t");
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCED");
        assertThat(topic(inbox).rule()).isNull();
        assertThat(topic(inbox).publishers())
                .extracting(PublisherState::capacity)
                .containsExactly(4096L);
        assertThat(topic("t").rule()).isEqualTo("#");
        assertThat(topic("t").publishers()).extracting(PublisherState::capacity).containsExactly(2L << 20);
    }

    @Test
    void shouldLimitTheBuffersOfATopicByItsRule() throws Exception {
        start("rbmq.topics = [{ match = small, max-capacity = 2 MiB }, { match = large, max-capacity = 128 MiB }]");
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        assertThat(publisher.welcome().maxCapacity()).isEqualTo(128 << 20);
        long longer = (2 << 20) + 1;
        publisher.announce(1, longer, "small");
        assertThat(publisher.nextNotice())
                .isEqualTo("ANNOUNCE_REFUSED capacity=" + longer
                        + " exceeds max-capacity=2097152 of the rule \"small\" in rbmq.topics");
        long longest = (64 << 20) + 1;
        publisher.announce(2, longest, "other");
        assertThat(publisher.nextNotice())
                .isEqualTo("ANNOUNCE_REFUSED capacity=" + longest + " exceeds rbmq.broker.max-capacity=67108864");
        publisher.createBuffer(3, longest);
        publisher.announce(3, longest, "large");
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCED");
        assertThat(topic("large").publishers())
                .extracting(PublisherState::capacity)
                .containsExactly(longest);
    }

    @Test
    void shouldHoldMessagesForANewSubscriptionOnlyForTheTimeOfTheRule() throws Exception {
        start(
                "rbmq.broker { capacity = 1000, join-timeout = 1 h }",
                "rbmq.publisher.capacity = 1000",
                "rbmq.topics = [{ match = \"short/#\", join-timeout = 10 ms }]");
        RawClient expected = new RawClient(running, Role.SUBSCRIBER); // never subscribes to the buffer
        expected.send(TopicLayout.write(1, null, "short/1"));
        await().until(() -> !running.broker().topics().isEmpty());
        assertThat(topic("short/1").rule()).isEqualTo("short/#");
        Publisher publisher = running.publisher();
        Continuity.publish(publisher.topic("short/1"), 0, 1000);
        assertThat(publisher.flush(60_000)).isTrue();
    }

    @Test
    void shouldKeepWhatADepartedPublisherHasLeftOnlyForTheTimeOfTheRule() throws Exception {
        start(
                "rbmq.broker { capacity = 64 KiB, drain-timeout = 1 h, stall-timeout = 1 h }",
                "rbmq.publisher.capacity = 64 KiB",
                "rbmq.subscriber.capacity = 64 KiB",
                "rbmq.topics = [{ match = short, drain-timeout = 10 ms }]");
        int count = 6800; // more than the subscriber's buffer holds; the broker has space for the rest
        Subscriber subscriber = running.subscriber(running.subscriberSettings(), seen);
        Subscription drained = live(subscriber, "long");
        Subscription abandoned = live(subscriber, "short");
        drained.pause();
        abandoned.pause();
        RocketBufs leaving = running.another();
        Publisher publisher =
                Publisher.connect(leaving, running.publisherSettings().withName("feed"));
        Continuity.publish(publisher.topic("long"), 0, count);
        Continuity.publish(publisher.topic("short"), 0, count);
        await().until(() -> running.broker().state().receivedLength() == 2 * count * FRAME);
        String line;
        try (LoggedLines logged = new LoggedLines()) {
            leaving.close(); // closing the publisher would wait until the broker has sent all data
            await().until(() -> logged.with("was not drained within 10 ms").size() == 1);
            line = logged.with("was not drained within 10 ms").get(0);
        }
        assertThat(line)
                .matches("WARN Publisher 1 \"feed\" at 127\\.0\\.0\\.1:\\d+ has left topic \"short\", which was not"
                        + " drained within 10 ms: \\d+ bytes had not been sent to subscribers");
        drained.resume();
        abandoned.resume();
        await().until(() -> seen.next("long") == count && seen.next("short") == count);
        assertThat(seen.receivedCount("long")).isEqualTo(count);
        assertThat(seen.missedCount("short")).isPositive();
        long unsentLength = Long.parseLong(line.replaceAll(".* within 10 ms: (\\d+) .*", "$1"));
        assertThat(unsentLength).isGreaterThanOrEqualTo(seen.missedCount("short") * FRAME);
        assertThat(seen.gaps()).extracting(Gap::topic).containsOnly("short");
    }
}
