package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of groups with each slow policy, with restricted rights, over each transport, and after a lost connection. */
@Timeout(600)
final class GroupPolicySystemTest {
    private static final SubscriptionOptions WORKERS = SubscriptionOptions.DEFAULTS.withGroup("workers");
    private static final int COUNT = 2000;

    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private final Queue<Gap> gaps = new ConcurrentLinkedQueue<>();
    private RunningBroker running;
    private int next;

    @AfterEach
    void close() {
        running.close();
    }

    private Subscription member(Subscriber subscriber) throws Exception {
        Subscription member = subscriber.subscribe(
                "jobs", message -> received.add(message.text()), WORKERS.withGapHandler(gaps::add));
        member.ready().get(60, TimeUnit.SECONDS);
        return member;
    }

    private Subscriber subscriber(ClientSettings settings) {
        return running.opened(Subscriber.connect(running.clients(), settings));
    }

    private static void publish(TopicPublisher topic, int from, int to) {
        for (int i = from; i < to; i++) {
            topic.publish(Integer.toString(i).getBytes(UTF_8));
        }
    }

    @ParameterizedTest
    @MethodSource("io.rocketbufs.rbmq.TransportPair#all")
    void shouldLoseNothingOverAnyTransport(TransportPair pair) throws Exception {
        running = new RunningBroker(pair);
        Subscription leaving = member(running.subscriber());
        member(running.subscriber());
        TopicPublisher topic = running.publisher().topic("jobs");
        publish(topic, 0, COUNT / 2);
        leaving.close();
        publish(topic, COUNT / 2, COUNT);
        await().until(() -> received.size() >= COUNT);
        assertThat(received).hasSize(COUNT).doesNotHaveDuplicates();
        assertThat(gaps).isEmpty();
    }

    @Test
    void shouldSkipForTheGroupWhenNoMemberTakesMore() throws Exception {
        running = new RunningBroker("rbmq.broker.slow-policy = skip", "rbmq.broker.capacity = 1000");
        Subscription member = member(running.subscriber());
        member.pause();
        TopicPublisher topic = running.publisher(running.publisherSettings().withCapacities(1000, 1000))
                .topic("jobs");
        publish(topic, 0, COUNT); // does not block
        member.resume();
        await().until(() -> {
            boolean isKnown = !gaps.isEmpty() && knownLength() == topic.publishedLength() + 4 * topic.publishedCount();
            if (!isKnown) {
                publish(topic, COUNT, COUNT + 1); // a skip is reported before the next message that is delivered
            }
            return isKnown;
        });
        assertThat(gaps).allMatch(gap -> gap.reason() == Gap.Reason.SKIPPED && gap.lostLength() > 0);
        assertThat(received.size()).isLessThan(COUNT);
    }

    private long knownLength() {
        return received.stream().mapToLong(text -> 4 + text.length()).sum()
                + gaps.stream().mapToLong(Gap::lostLength).sum();
    }

    @Test
    void shouldDisconnectMembersThatConsumeNothingWhileThePublisherWaits() throws Exception {
        running = new RunningBroker(
                "rbmq.broker.capacity = 10000", "rbmq.publisher.capacity = 10000", "rbmq.broker.stall-timeout = 2 s");
        Subscriber stalled = running.subscriber();
        member(stalled).pause();
        TopicPublisher topic = running.publisher().topic("jobs");
        await().until(() -> {
            fill(topic);
            return stalled.closed().isDone();
        });
        assertThatThrownBy(() -> stalled.closed().get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("in group \"workers\" consumed nothing for");
        Deque<Subscriber> others = new ArrayDeque<>();
        await().until(() -> {
            // A busy machine may pause a member for longer than the stall timeout.
            if (others.isEmpty() || others.peek().closed().isDone()) {
                others.push(running.subscriber());
                member(others.peek());
            }
            return Set.copyOf(received).size() == next;
        });
        if (others.size() == 1) { // otherwise, the broker may redeliver messages that a member has consumed
            assertThat(received).doesNotHaveDuplicates();
        }
    }

    /** Publishes numbers until the publisher would block. */
    private void fill(TopicPublisher topic) {
        while (topic.tryPublish(String.format("%0500d", next).getBytes(UTF_8)) == PublishResult.PUBLISHED) {
            next++;
        }
    }

    @Test
    void shouldNotChangeWhatIsKeptForOthers() throws Exception {
        running = new RunningBroker("rbmq.broker.keep = 100 KiB");
        member(running.subscriber());
        publish(running.publisher().topic("jobs"), 0, 100);
        await().until(() -> received.size() == 100);
        Queue<String> old = new ConcurrentLinkedQueue<>();
        running.subscriber()
                .subscribe(
                        "jobs",
                        message -> old.add(message.text()),
                        SubscriptionOptions.DEFAULTS.withStart(SubscriptionStart.OLDEST))
                .caughtUp()
                .get(60, TimeUnit.SECONDS);
        assertThat(old).hasSize(100);
    }

    @Test
    void shouldRejoinAfterALostConnectionWithoutAGap() throws Exception {
        running = new RunningBroker();
        CuttableProxy proxy = running.opened(new CuttableProxy(running.address()));
        Subscriber cut = subscriber(
                running.subscriberSettings().withBroker(proxy.address()).withReconnect(ReconnectFixture.SOON));
        member(cut);
        Queue<String> others = new ConcurrentLinkedQueue<>();
        running.subscriber()
                .subscribe("jobs", message -> others.add(message.text()), WORKERS)
                .ready()
                .get(60, TimeUnit.SECONDS);
        TopicPublisher topic = running.publisher().topic("jobs");
        publish(topic, 0, 1000);
        proxy.cut();
        publish(topic, 1000, 2000);
        await().until(() -> cut.reconnectCount() == 1
                && running.broker().topics().get(0).subscribers().size() == 2);
        int before = received.size();
        await().until(() -> {
            publish(topic, 2000, 2010);
            return received.size() > before;
        });
        await().until(() -> received.size() + others.size() >= 2000);
        assertThat(gaps).isEmpty();
        assertThat(cut.unknownGapCount()).isZero();
        for (int i = 0; i < 2000; i++) {
            assertThat(received.contains(Integer.toString(i)) || others.contains(Integer.toString(i)))
                    .isTrue();
        }
    }

    @Test
    void shouldNeedTheRightToSubscribeAndShowMembersBuffersToNobodyElse() throws Exception {
        running = new RunningBroker(
                "rbmq.users = [{name = feed, token = feed-token, publish = [\"#\"]},",
                "{name = desk, token = desk-token, subscribe = [jobs]}]");
        Subscriber feed = subscriber(running.client().withToken("feed-token"));
        assertThatThrownBy(() -> member(feed)).hasStackTraceContaining("may not subscribe");
        member(subscriber(running.client().withToken("desk-token")));
        publish(running.publisher(running.client().withToken("feed-token")).topic("jobs"), 0, 10);
        await().until(() -> received.size() == 10);
        RawReader guessing = new RawReader(running.clients(), running.address(), "desk-token");
        guessing.subscribe(1, SubscribeOptions.DEFAULTS).get(60, TimeUnit.SECONDS); // the publisher's buffer
        assertThatThrownBy(
                        () -> guessing.subscribe(2, SubscribeOptions.DEFAULTS).get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("buffer 2 does not exist");
    }
}
