package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.options.Start;
import io.rocketbufs.options.SubscribeOptions;
import io.rocketbufs.rbmq.broker.TopicState.GroupState;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.rbmq.protocol.GroupLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of group members that misbehave, and of publishers whose messages no member can read. */
@Tag("once")
@Timeout(600)
final class HostileGroupSystemTest {
    private static final SubscriptionOptions WORKERS = SubscriptionOptions.DEFAULTS.withGroup("workers");
    private static final byte[] MESSAGE = new byte[500];
    /** Number of messages that far exceeds the capacity of the buffers of broker, publisher and member. */
    private static final int MANY = 200;

    private static final String[] SMALL = {
        "rbmq.broker.capacity = 10000",
        "rbmq.publisher.capacity = 10000",
        "rbmq.subscriber.capacity = 10000",
        "rocketbufs.heartbeat-interval = 400 ms"
    };

    private final Queue<String> received = new ConcurrentLinkedQueue<>();
    private final Semaphore permits = new Semaphore(0);
    private RunningBroker running;

    @AfterEach
    void close() {
        permits.release(1_000_000);
        running.close();
    }

    private void open(String... settings) {
        running = new RunningBroker(
                Stream.concat(Stream.of(SMALL), Stream.of(settings)).toArray(String[]::new));
    }

    private TopicPublisher announced() throws Exception {
        TopicPublisher jobs = running.publisher().topic("jobs");
        jobs.announced().get(60, TimeUnit.SECONDS);
        return jobs;
    }

    private Subscription member(Subscriber subscriber, SubscriptionOptions options) throws Exception {
        Subscription member = subscriber.subscribe("jobs", message -> received.add(message.text()), options);
        member.ready().get(60, TimeUnit.SECONDS);
        return member;
    }

    private RawReader raw() throws Exception {
        RawReader raw = new RawReader(running.clients(), running.address(), "");
        raw.join("workers", "jobs");
        return raw;
    }

    /** Publishes until the publisher would block. Returns the number of messages. */
    private static int fill(TopicPublisher jobs) {
        return fill(jobs, MESSAGE);
    }

    private static int fill(TopicPublisher jobs, byte[] message) {
        int count = 0;
        while (count < MANY && jobs.tryPublish(message) == PublishResult.PUBLISHED) {
            count++;
        }
        return count;
    }

    /** Waits until the publisher no longer waits for the group. */
    private static void awaitFree(TopicPublisher jobs) {
        int[] count = {0};
        await().until(() -> {
            count[0] += fill(jobs);
            return count[0] >= MANY;
        });
    }

    private List<GroupState> groups() {
        return running.broker().topics().get(0).groups();
    }

    @Test
    void shouldNotDelayAPublisherLongForAMemberThatNeverSubscribes() throws Exception {
        open("rbmq.broker.join-timeout = 300 ms");
        RawReader lazy = raw();
        TopicPublisher jobs = announced();
        lazy.listedBuffer();
        awaitFree(jobs);
        assertThat(running.broker().state().discardedLength()).isPositive();
    }

    @Test
    void shouldTellAMemberThatSubscribesTooLateWhatTheGroupMissed() throws Exception {
        open("rbmq.broker.join-timeout = 300 ms");
        RawReader late = raw();
        TopicPublisher jobs = announced();
        int id = late.listedBuffer();
        awaitFree(jobs);
        long missed = jobs.publishedLength() + 4 * jobs.publishedCount();
        await().until(() -> running.broker().state().discardedLength() == missed);
        late.subscribe(id, SubscribeOptions.DEFAULTS).get(60, TimeUnit.SECONDS);
        await().until(() -> {
            jobs.publish("new".getBytes(UTF_8));
            return late.events().size() >= 2;
        });
        assertThat(late.events()).element(0).asString().startsWith("missed ");
        assertThat(late.events()).element(1).asString().startsWith("new");
    }

    @Test
    void shouldTellAnotherMemberOfAGapWhenTheFirstOneIsLostWithIt() throws Exception {
        open("rbmq.broker.join-timeout = 300 ms");
        RawReader late = raw();
        TopicPublisher jobs = announced();
        int id = late.listedBuffer();
        jobs.publish(MESSAGE);
        await().until(() -> running.broker().state().discardedLength() == 4 + MESSAGE.length);
        late.consumeNothing();
        late.subscribe(id, SubscribeOptions.DEFAULTS).get(60, TimeUnit.SECONDS);
        await().until(() -> {
            jobs.publish("new".getBytes(UTF_8));
            return late.events().size() >= 2;
        });
        Queue<Gap> gaps = new ConcurrentLinkedQueue<>();
        member(running.subscriber(), WORKERS.withGapHandler(gaps::add));
        late.close();
        await().until(() -> received.contains("new"));
        assertThat(gaps)
                .singleElement()
                .satisfies(gap -> assertThat(gap.lostLength()).isGreaterThanOrEqualTo(4 + MESSAGE.length));
    }

    @Test
    void shouldAcceptAMembersSecondAttemptToSubscribe() throws Exception {
        open();
        RawReader raw = raw();
        TopicPublisher jobs = announced();
        int id = raw.listedBuffer();
        SubscribeOptions refused = SubscribeOptions.DEFAULTS.withStart(Start.at(1000));
        assertThatThrownBy(() -> raw.subscribe(id, refused).get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("lies beyond the end");
        raw.subscribe(id, SubscribeOptions.DEFAULTS).get(60, TimeUnit.SECONDS);
        jobs.publish("a".getBytes(UTF_8));
        await().until(() -> raw.events().contains("a"));
    }

    @Test
    void shouldNotDelayAPublisherLongForAMemberWithoutMemoryForItsBuffer() throws Exception {
        open("rbmq.broker.join-timeout = 300 ms", "rbmq.broker.capacity = 20000", "rbmq.client.max-capacity = 10000");
        member(running.subscriber(), WORKERS);
        awaitFree(announced());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldNotDelayAPublisherForALastMemberThatLeavesOnlyInPart(boolean leavesTopic) throws Exception {
        open("rbmq.broker.join-timeout = 300 ms");
        RawReader leaver = raw();
        TopicPublisher jobs = announced();
        int id = leaver.listedBuffer();
        leaver.subscribe(id, SubscribeOptions.DEFAULTS).get(60, TimeUnit.SECONDS);
        jobs.publish("a".getBytes(UTF_8));
        await().until(() -> leaver.events().contains("a"));
        if (leavesTopic) {
            leaver.leaveTopic();
            await().until(() -> groups().isEmpty());
        } else {
            leaver.leaveBuffer(id);
        }
        awaitFree(jobs);
        member(running.subscriber(), WORKERS);
        jobs.publish("b".getBytes(UTF_8));
        await().until(() -> received.contains("b"));
    }

    @Test
    void shouldTakeBackTheMessagesOfAMemberThatLeavesTheGroupAndNeverReportsThem() throws Exception {
        open("rbmq.broker.drain-timeout = 300 ms");
        RawReader leaver = raw();
        TopicPublisher jobs = announced();
        int id = leaver.listedBuffer();
        leaver.consumeNothing();
        leaver.subscribe(id, SubscribeOptions.DEFAULTS).get(60, TimeUnit.SECONDS);
        jobs.publish("a".getBytes(UTF_8));
        await().until(() -> leaver.events().contains("a"));
        member(running.subscriber(), WORKERS);
        leaver.leaveTopic();
        await().until(() -> received.contains("a"));
        assertThat(running.broker().state().redeliveredCount()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"too long", "without end", "no pairs", "empty key", "key that is no text"})
    void shouldDisconnectAPublisherWhoseHeadersAreMalformed(String what) throws Exception {
        open();
        Queue<Integer> ends = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 3; i++) {
            SubscriberCallback callback = new SubscriberCallback() {
                @Override
                public void onPublisherEnd(String topic, int publisher, String failure) {
                    ends.add(publisher);
                }
            };
            member(running.subscriber(running.subscriberSettings(), callback), WORKERS);
        }
        RawClient liar = new RawClient(running, Role.PUBLISHER);
        liar.createBuffer(1, 1000);
        liar.announce(1, 1000, "jobs");
        liar.deliver(1, new byte[] {0, 0, 0, 1, 'a'});
        await().until(() -> received.size() == 1);
        liar.deliver(1, malformed(what));
        assertThat(liar.awaitCut()).hasMessageContaining("is malformed");
        assertThat(running.broker().state().malformedCount()).isEqualTo(1);
        await().until(() -> ends.size() == 3);
        announced().publish("b".getBytes(UTF_8));
        await().until(() -> received.size() == 2);
        assertThat(running.broker().state().redeliveredCount()).isZero();
    }

    private static byte[] malformed(String what) {
        return switch (what) {
            case "too long" -> new byte[] {(byte) 0x80, 0, 0, 3, 9, 9, 9};
            case "without end" -> new byte[] {(byte) 0x80, 0, 0, 6, 0, 4, 9, 'k', 0, 0};
            case "no pairs" -> new byte[] {(byte) 0x80, 0, 0, 3, 0, 0, 'x'};
            case "empty key" -> new byte[] {(byte) 0x80, 0, 0, 5, 0, 3, 0, 0, 0};
            default -> new byte[] {(byte) 0x80, 0, 0, 6, 0, 4, 1, (byte) 0xff, 0, 0};
        };
    }

    @Test
    void shouldKnowEachMessageThatASlowMemberConsumesWhileAPublisherWaits() throws Exception {
        open();
        List<Thread> own = new ArrayList<>();
        Subscriber slow = running.subscriber();
        slow.subscribe(
                        "jobs",
                        message -> permits.acquireUninterruptibly(),
                        WORKERS.withExecutor(task -> {
                                    Thread thread = new Thread(task);
                                    own.add(thread);
                                    thread.start();
                                })
                                .withQueueCapacity(1))
                .ready()
                .get(60, TimeUnit.SECONDS);
        TopicPublisher jobs = announced();
        byte[] small = new byte[100]; // the limit is the number of messages, not the space in the member's buffer
        await().until(() -> {
            fill(jobs, small);
            return running.broker().state().slowSubscriberCount() == 1;
        });
        for (int i = 0; i < 3; i++) { // fewer messages than a batch
            long waiting = groups().get(0).waitingLength();
            long count = jobs.publishedCount();
            permits.release();
            await().until(() -> {
                fill(jobs, small);
                return jobs.publishedCount() > count || groups().get(0).waitingLength() < waiting;
            });
        }
        assertThat(slow.closed()).isNotDone();
    }

    @Test
    void shouldLimitTheBuffersOfTheMembershipsOfAConnection() throws Exception {
        open("rbmq.limits.shares-per-connection = 2", "rbmq.broker.join-timeout = 2 s");
        TopicPublisher jobs = announced();
        RawClient greedy = new RawClient(running, Role.SUBSCRIBER);
        greedy.send(GroupLayout.write(1, "a", "jobs"));
        greedy.send(GroupLayout.write(2, "b", "jobs"));
        greedy.send(GroupLayout.write(3, "c", "jobs"));
        String notice = greedy.nextNotice();
        for (int listed = 0; listed < 2; notice = greedy.nextNotice()) {
            listed += notice.startsWith("TOPIC_LISTED") ? 1 : 0;
        }
        assertThat(notice).startsWith("TOPIC_REFUSED topic \"jobs\" exceeds rbmq.limits.shares-per-connection=2");
        member(running.subscriber(), WORKERS);
        jobs.publish("a".getBytes(UTF_8));
        await().until(() -> received.contains("a"));
    }

    @Test
    void shouldCountWhatADepartedPublishersMembersHaveNotConsumedInTime() throws Exception {
        open("rbmq.broker.drain-timeout = 300 ms");
        Subscription paused = member(running.subscriber(), WORKERS);
        paused.pause();
        TopicPublisher jobs = announced();
        for (int i = 0; i < 10; i++) {
            jobs.publish(MESSAGE);
        }
        await().until(() -> running.unreadLength() > 0);
        jobs.close();
        await().until(() -> running.broker().state().discardedLength() == 10 * (4 + MESSAGE.length));
    }
}
