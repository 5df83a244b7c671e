package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.metrics.LossState;
import io.rocketbufs.metrics.SlowState;
import io.rocketbufs.metrics.SlowState.Phase;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.LoggedLines;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.protocol.Features;
import io.rocketbufs.rbmq.protocol.Greeting;
import io.rocketbufs.rbmq.protocol.InboxName;
import io.rocketbufs.rbmq.protocol.RbmqMessage;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.SlowLayout;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of delays of one publisher by one subscriber. The clients of both record the reports. */
@Timeout(600)
final class SlowSubscribersTest {
    private static final int PUBLISHERS_ID = 7;
    private static final int BUFFER_ID = 70;
    private static final BufferSettings BUFFERS =
            BrokerSettings.from(RunningBroker.config()).buffers();
    private static final TopicRule RULE = TopicRule.ofOthers(BUFFERS);

    private final LoggedLines logged = new LoggedLines();
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final SlowSubscribers slow = new SlowSubscribers(bufferId -> bufferId == BUFFER_ID ? "prices" : null);
    private final List<String> toPublisher = new CopyOnWriteArrayList<>();
    private final List<String> toSubscriber = new CopyOnWriteArrayList<>();
    private final RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config());
    private ConnectedSubscriber subscriber;
    private TopicBuffer buffer;

    @BeforeEach
    void connect() throws Exception {
        subscriber = new ConnectedSubscriber(
                connection(toSubscriber), new Greeting(Features.SLOW, "risk", new byte[0]), Principals.ALL, () -> 100);
        ConnectedPublisher publisher = new ConnectedPublisher(
                3, new Greeting(Features.SLOW, "feed", new byte[0]), connection(toPublisher), Principals.ALL);
        buffer = new TopicBuffer(publisher, "prices", RULE, PUBLISHERS_ID, BUFFER_ID, 1000);
        slow.add(buffer);
        slow.add(subscriber, timer);
    }

    @AfterEach
    void close() {
        timer.shutdownNow();
        rocketBufs.close();
        logged.close();
    }

    /** Returns the broker's side of a connection whose client records the reports. */
    private Connection connection(List<String> reports) throws Exception {
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        try (Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0))) {
            listener.setConnectionCallback(accepted::complete);
            rocketBufs
                    .connect(
                            listener.address(),
                            ConnectOptions.as(
                                    Role.SUBSCRIBER,
                                    client -> client.setControlMessageCallback(message -> {
                                        assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.SLOW);
                                        reports.add(SlowLayout.bufferId(message) + ": "
                                                + SlowLayout.subscriberCount(message) + " after "
                                                + SlowLayout.delayMs(message) + " ms");
                                    })))
                    .get(60, TimeUnit.SECONDS);
            return accepted.get(60, TimeUnit.SECONDS);
        }
    }

    private void report(long subscription, Phase phase, long pendingLength, long delayMs) {
        report(BUFFER_ID, subscription, phase, pendingLength, delayMs);
    }

    private void report(int bufferId, long subscription, Phase phase, long pendingLength, long delayMs) {
        slow.onSlow(
                bufferId,
                subscriber.connection(),
                new SlowState(subscription, phase, SlowPolicy.BLOCK, pendingLength, delayMs));
    }

    private void lose(int bufferId, long subscription, LossState.Phase phase, long lostLength) {
        slow.onLoss(bufferId, subscriber.connection(), new LossState(subscription, phase, SlowPolicy.SKIP, lostLength));
    }

    @Test
    void shouldNameASubscriberThatMissesDataAndLaterTheNumberOfBytes() {
        lose(BUFFER_ID, 1, LossState.Phase.BEGAN, 100);
        assertThat(logged.with("\"risk\""))
                .singleElement()
                .asString()
                .matches("WARN Subscriber \"risk\".* at .* is missing data from publisher 3 \"feed\" on topic"
                        + " \"prices\": 100 bytes were skipped \\(slow-policy skip\\)");
        lose(BUFFER_ID, 1, LossState.Phase.RECOVERED, 700);
        assertThat(logged.with("\"risk\""))
                .last()
                .asString()
                .startsWith("INFO ")
                .endsWith(" is no longer missing data from publisher 3 \"feed\" on topic \"prices\"; 700 bytes were"
                        + " skipped");
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(0, 0, 0, 0));
    }

    @Test
    void shouldAlsoLogALossThatIsNoticedAfterThePublisherHasLeft() {
        slow.remove(buffer);
        lose(BUFFER_ID, 1, LossState.Phase.BEGAN, 100);
        lose(BUFFER_ID, 1, LossState.Phase.UNSUBSCRIBED, 100);
        lose(99, 2, LossState.Phase.BEGAN, 100);
        assertThat(logged.with("is missing data from a former publisher on topic \"prices\""))
                .hasSize(1);
        assertThat(logged.with("stopped receiving topic \"prices\" while it was missing data from a former publisher"))
                .hasSize(1);
        assertThat(logged.with("is missing data from a former publisher on buffer 99"))
                .hasSize(1);
    }

    @Test
    void shouldCountTwoSubscriptionsToABufferAsOneDelay() {
        report(1, Phase.BEGAN, 100, 200);
        await().until(() -> toPublisher.size() == 1 && toSubscriber.size() == 1);
        report(2, Phase.BEGAN, 30, 250);
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(1, 130, 1, 450));
        report(1, Phase.CONTINUES, 90, 700);
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(1, 120, 1, 950));
        report(1, Phase.UNSUBSCRIBED, 90, 800);
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(1, 30, 1, 1050));
        report(2, Phase.RECOVERED, 10, 600);
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(0, 0, 1, 1400));
        await().until(() -> toPublisher.size() == 2 && toSubscriber.size() == 2);
        assertThat(toPublisher).containsExactly("7: 1 after 200 ms", "7: 0 after 800 ms");
        assertThat(toSubscriber).containsExactly("70: 1 after 200 ms", "70: 0 after 800 ms");
        assertThat(logged.with("delay")).hasSize(2);
        assertThat(logged.with("the delay lasted 0.8 s")).hasSize(1);
    }

    @Test
    void shouldContinueADelayWhosePublisherHasLeftWithoutNotifyingThePublisher() {
        report(1, Phase.BEGAN, 100, 200);
        await().until(() -> toPublisher.size() == 1 && toSubscriber.size() == 1);
        slow.remove(buffer);
        report(1, Phase.CONTINUES, 100, 300);
        report(2, Phase.BEGAN, 100, 200); // reports another subscription of the same subscriber
        report(2, Phase.RECOVERED, 0, 200);
        report(1, Phase.RECOVERED, 0, 500);
        await().until(() -> toSubscriber.size() == 2);
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(0, 0, 1, 700));
        // A report about the previous topic would arrive before this report about another topic.
        slow.add(new TopicBuffer(buffer.publisher(), "news", RULE, 8, 80, 1000));
        report(80, 3, Phase.BEGAN, 100, 300);
        await().until(() -> toPublisher.size() > 1);
        assertThat(toPublisher).containsExactly("7: 1 after 200 ms", "8: 1 after 300 ms");
    }

    @Test
    void shouldIgnoreADelayThatBeginsAfterThePublisherHasLeft() {
        slow.remove(buffer);
        report(1, Phase.BEGAN, 100, 200);
        report(1, Phase.CONTINUES, 100, 300);
        report(1, Phase.RECOVERED, 0, 300);
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(0, 0, 0, 0));
        assertThat(logged.with("delay")).isEmpty();
    }

    @Test
    void shouldKeepTheCountersOfASubscriberThatHasLeft() {
        report(1, Phase.BEGAN, 100, 200);
        report(1, Phase.UNSUBSCRIBED, 100, 400);
        slow.remove(subscriber);
        slow.remove(subscriber);
        assertThat(slow.numbers()).isEqualTo(new SlowSubscribers.Numbers(0, 0, 1, 400));
    }

    @Test
    void shouldKeepTheNameOfAnInboxOutOfTheLog() {
        String name = InboxName.random();
        TopicBuffer inbox = new TopicBuffer(buffer.publisher(), name, TopicRule.ofInboxes(BUFFERS), 8, 80, 1000);
        slow.add(inbox);
        slow.onSlow(80, subscriber.connection(), new SlowState(1, Phase.BEGAN, SlowPolicy.BLOCK, 100, 200));
        assertThat(logged.with("is delaying publisher 3 \"feed\" on its inbox")).hasSize(1);
        assertThat(logged.with(name)).isEmpty();
    }
}
