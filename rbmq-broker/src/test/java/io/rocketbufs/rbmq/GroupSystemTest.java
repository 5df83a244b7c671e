package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.PublishResult;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import io.rocketbufs.rbmq.client.TopicPublisher;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of subscriptions that share the messages of a topic or filter as a group. */
@Timeout(600)
final class GroupSystemTest {
    private static final SubscriptionOptions WORKERS = SubscriptionOptions.DEFAULTS.withGroup("workers");

    private final RunningBroker running = new RunningBroker("rbmq.broker.capacity = 64 KiB");
    private final List<Member> members = new ArrayList<>();

    @AfterEach
    void close() {
        running.close();
    }

    /** A subscription and the messages that it has received. */
    private final class Member {
        private final RocketBufs process = running.another();
        private final Subscriber subscriber = Subscriber.connect(process, running.subscriberSettings());
        private final Queue<String> received = new ConcurrentLinkedQueue<>();
        private final Queue<String> redelivered = new ConcurrentLinkedQueue<>();
        private final Queue<String> gaps = new ConcurrentLinkedQueue<>();
        private final Subscription subscription;

        private Member(String filter, SubscriptionOptions options) throws Exception {
            subscription = subscriber.subscribe(
                    filter,
                    message -> {
                        String text = message.topic() + " " + message.text();
                        received.add(text);
                        if (message.isRedelivered()) {
                            redelivered.add(text);
                        }
                    },
                    options.withGapHandler(gap -> gaps.add(gap.toString())));
            subscription.ready().get(60, TimeUnit.SECONDS);
            members.add(this);
        }

        /** Waits until this member has an unread message. */
        private void awaitUnread() {
            await().until(() -> process.metrics().connections().stream()
                    .flatMap(connection -> connection.inputs().stream())
                    .anyMatch(input -> input.receivedLength() > input.consumedLength()));
        }
    }

    private Member member(String filter) throws Exception {
        return new Member(filter, WORKERS);
    }

    private static List<String> numbers(String topic, String publisher, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> topic + " " + publisher + i)
                .toList();
    }

    private static void publish(Publisher publisher, String topic, String name, int count) throws Exception {
        TopicPublisher to = publisher.topic(topic);
        for (int i = 0; i < count; i++) {
            to.publish((name + i).getBytes(UTF_8));
        }
    }

    private List<String> all() {
        return members.stream().flatMap(member -> member.received.stream()).toList();
    }

    private void awaitAll(int count) {
        await().atMost(60, TimeUnit.SECONDS).until(() -> all().size(), size -> size >= count);
    }

    /** Compares sorted copies, because a comparison in any order makes AssertJ compare every pair of elements. */
    private static void assertSame(Collection<String> actual, Collection<String> expected) {
        assertThat(actual.stream().sorted().toList())
                .isEqualTo(expected.stream().sorted().toList());
    }

    private static <T> List<T> join(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldGiveEachMessageToOneMember(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            member("jobs/+");
        }
        Member plain = new Member("jobs/#", SubscriptionOptions.DEFAULTS);
        members.remove(plain);
        publish(running.publisher(), "jobs/a", "first", 1);
        // A group does not wait for a member that subscribes late.
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> running.broker().topics().stream()
                        .anyMatch(topic -> topic.subscribers().size() == count + 1));
        publish(running.publisher(), "jobs/a", "x", 5000);
        publish(running.publisher(), "jobs/a", "y", 3000);
        publish(running.publisher(), "jobs/b", "z", 3000);
        // On a busy machine, a member may be ready for messages only when the others have received all of these.
        TopicPublisher more = running.publisher().topic("jobs/c");
        await().until(() -> {
            boolean haveAll = members.stream().noneMatch(member -> member.received.isEmpty());
            for (int i = 0; i < 100 && !haveAll; i++) {
                more.publish(("w" + more.publishedCount()).getBytes(UTF_8));
            }
            return haveAll;
        });
        List<String> expected = Stream.of(
                        numbers("jobs/a", "first", 1),
                        numbers("jobs/a", "x", 5000),
                        numbers("jobs/a", "y", 3000),
                        numbers("jobs/b", "z", 3000),
                        numbers("jobs/c", "w", (int) more.publishedCount()))
                .flatMap(List::stream)
                .toList();
        awaitAll(expected.size());
        assertSame(all(), expected);
        await().until(() -> plain.received.size() == expected.size());
        assertSame(plain.received, expected);
        assertThat(members).allSatisfy(member -> {
            assertThat(member.received).isNotEmpty();
            assertThat(member.redelivered).isEmpty();
            assertThat(member.gaps).isEmpty();
            assertThat(member.received.stream().filter(each -> each.startsWith("jobs/a x")))
                    .isSortedAccordingTo((a, b) -> Integer.compare(number(a), number(b)));
        });
        assertThat(running.broker().topics().get(0).subscribers())
                .extracting(SubscriberState::group)
                .contains("workers");
    }

    private static int number(String text) {
        return Integer.parseInt(text.replaceAll("\\D", ""));
    }

    @Test
    void shouldGiveTheOthersEverythingWhenAMemberIsStopped() throws Exception {
        Member stopped = member("jobs");
        stopped.subscription.pause();
        Publisher publisher = running.publisher();
        publish(publisher, "jobs", "first", 1);
        stopped.awaitUnread(); // a group does not wait for a member that subscribes late
        for (int i = 0; i < 3; i++) {
            member("jobs");
        }
        publish(publisher, "jobs", "x", 20_000); // several times the buffer's capacity
        awaitAll(20_001 - 32);
        assertThat(stopped.received).isEmpty();
        stopped.process.close();
        awaitAll(20_001);
        assertSame(all(), join(numbers("jobs", "first", 1), numbers("jobs", "x", 20_000)));
        assertThat(redelivered()).hasSizeBetween(1, 32);
        assertThat(running.broker().state().redeliveredCount())
                .isEqualTo(redelivered().size());
    }

    private List<String> redelivered() {
        return members.stream().flatMap(member -> member.redelivered.stream()).toList();
    }

    @Test
    void shouldMarkWhatAKilledMemberHadNotConsumed() throws Exception {
        Member killed = member("jobs/#");
        killed.subscription.pause();
        Publisher publisher = running.publisher();
        publish(publisher, "jobs/a", "x", 200);
        // Waits before the other members join, because a group does not wait for a member that subscribes late.
        killed.awaitUnread();
        member("jobs/#");
        member("jobs/#");
        for (int i = 0; i < 200; i++) {
            byte[] text = ("y" + i).getBytes(UTF_8);
            publisher.topic("jobs/a").publish(new Headers().add("color", "red"), text);
        }
        awaitAll(400 - 32);
        killed.process.close();
        members.remove(killed);
        awaitAll(400);
        assertSame(all(), join(numbers("jobs/a", "x", 200), numbers("jobs/a", "y", 200)));
        assertThat(redelivered()).isNotEmpty();
        assertThat(members).allSatisfy(member -> assertThat(member.gaps).isEmpty());
        assertThat(running.broker().state().discardedLength()).isZero();
    }

    @Test
    void shouldLoseAndRepeatNothingWhenMembersLeaveAndJoin() throws Exception {
        member("jobs");
        Publisher publisher = running.publisher();
        int count = 0;
        for (int round = 0; round < 5; round++) {
            Member joining = member("jobs");
            publish(publisher, "jobs", "r" + round + "-", 2000);
            count += 2000;
            Member leaving = members.get(round);
            leaving.subscription.close();
            leaving.subscription.closed().get(60, TimeUnit.SECONDS);
            assertThat(joining.subscription.closed()).isNotDone();
        }
        awaitAll(count);
        List<String> expected = new ArrayList<>();
        for (int round = 0; round < 5; round++) {
            expected.addAll(numbers("jobs", "r" + round + "-", 2000));
        }
        assertSame(all(), expected);
    }

    @Test
    void shouldDiscardWhatWaitsWhenTheLastMemberLeaves() throws Exception {
        Member last = member("jobs");
        last.subscription.pause();
        Publisher publisher = running.publisher();
        publish(publisher, "jobs", "x", 1000);
        last.awaitUnread();
        last.subscription.close();
        last.subscription.closed().get(60, TimeUnit.SECONDS);
        await().until(() -> running.broker().state().discardedLength() > 0);
        publish(publisher, "jobs", "x", 20_000); // at this point, there is no subscriber
        assertThat(publisher.flush(60_000)).isTrue();
        member("jobs");
        publish(publisher, "jobs", "y", 10);
        awaitAll(10);
        assertSame(all(), numbers("jobs", "y", 10));
    }

    @Test
    void shouldKeepWhatWaitsForALostGroupThatJoinsAgain() throws Exception {
        Member lost = member("jobs");
        lost.subscription.pause();
        publish(running.publisher(), "jobs", "x", 1000);
        lost.awaitUnread();
        lost.process.close();
        member("jobs");
        awaitAll(1000);
        assertSame(all(), numbers("jobs", "x", 1000));
        assertThat(redelivered()).isNotEmpty();
    }

    @Test
    void shouldGiveEachGroupAndFilterEverything() throws Exception {
        Member exact = member("jobs/a");
        Member wildcard = member("jobs/+");
        Member other = new Member("jobs/a", SubscriptionOptions.DEFAULTS.withGroup("others"));
        publish(running.publisher(), "jobs/a", "x", 500);
        for (Member each : List.of(exact, wildcard, other)) {
            await().until(() -> each.received.size() == 500);
            assertThat(each.received).containsExactlyElementsOf(numbers("jobs/a", "x", 500));
        }
    }

    @Test
    void shouldLetSubscriptionsOfOneSubscriberBeMembers() throws Exception {
        Subscriber subscriber = running.subscriber();
        Queue<String> plain = new ConcurrentLinkedQueue<>();
        Queue<String> first = new ConcurrentLinkedQueue<>();
        Queue<String> second = new ConcurrentLinkedQueue<>();
        Subscription live = subscriber.subscribe("jobs", message -> plain.add(message.text()));
        subscriber
                .subscribe("jobs", message -> first.add(message.text()), WORKERS)
                .ready()
                .get(60, TimeUnit.SECONDS);
        subscriber
                .subscribe("jobs", message -> second.add(message.text()), WORKERS)
                .ready()
                .get(60, TimeUnit.SECONDS);
        live.ready().get(60, TimeUnit.SECONDS);
        publish(running.publisher(), "jobs", "x", 1000);
        await().until(() -> plain.size() == 1000 && first.size() + second.size() == 1000);
        assertThat(first).isNotEmpty().doesNotContainAnyElementsOf(second);
        assertThat(second).isNotEmpty();
    }

    @Test
    void shouldMakeThePublisherWaitOnlyWhenNoMemberTakesMore() throws Exception {
        member("jobs").subscription.pause();
        member("jobs").subscription.pause();
        TopicPublisher topic = running.publisher().topic("jobs");
        byte[] text = new byte[1000];
        topic.publish(text);
        await().until(() -> {
            while (topic.tryPublish(text) == PublishResult.PUBLISHED) {
                assertThat(topic.publishedCount()).isLessThan(100_000);
            }
            return running.broker().state().slowSubscriberCount() == 2;
        });
        long[] taken = {0};
        await().until(() -> {
            long before = taken[0];
            taken[0] = running.broker().topics().get(0).receivedLength();
            return topic.tryPublish(text) != PublishResult.PUBLISHED && taken[0] == before;
        });
        for (int i = 0; i < 100; i++) {
            assertThat(topic.tryPublish(text)).isNotEqualTo(PublishResult.PUBLISHED);
        }
        long published = topic.publishedCount();
        members.get(0).subscription.resume();
        topic.publish(text);
        await().until(() -> members.get(0).received.size() >= published - 31);
        members.get(1).subscription.resume();
        awaitAll((int) published + 1);
    }

    @Test
    void shouldCarryMessagesOfEveryLengthAroundTheEndOfTheBuffer() throws Exception {
        Queue<Integer> wrong = new ConcurrentLinkedQueue<>();
        Queue<Integer> lengths = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < 2; i++) {
            Subscriber subscriber = running.subscriber();
            subscriber
                    .subscribe(
                            "jobs",
                            message -> {
                                lengths.add(message.length());
                                for (int at = 0; at < message.length(); at++) {
                                    if (message.getByte(at) != (byte) (message.length() + at)) {
                                        wrong.add(message.length());
                                        return;
                                    }
                                }
                            },
                            WORKERS)
                    .ready()
                    .get(60, TimeUnit.SECONDS);
        }
        Publisher publisher = running.publisher(running.publisherSettings().withCapacities(65_536, 65_536));
        TopicPublisher topic = publisher.topic("jobs");
        List<Integer> expected = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            int length = i % 10 == 9 ? 65_536 - 4 : i * 7919 % 30_000;
            byte[] message = new byte[length];
            for (int at = 0; at < length; at++) {
                message[at] = (byte) (length + at);
            }
            topic.publish(message);
            expected.add(length);
        }
        await().until(() -> lengths.size() == expected.size());
        assertThat(lengths).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(wrong).isEmpty();
    }

    @Test
    void shouldHandOutTheMessagesOfAPublisherThatHasLeft() throws Exception {
        Member paused = member("jobs");
        Member working = member("jobs");
        paused.subscription.pause();
        working.subscription.pause();
        RocketBufs process = running.another();
        publish(Publisher.connect(process, running.publisherSettings()), "jobs", "x", 1000);
        long length = IntStream.range(0, 1000).map(i -> 4 + ("x" + i).length()).sum();
        await().until(() -> running.broker().topics().get(0).receivedLength() == length);
        process.close();
        await().until(() -> running.broker().state().publisherCount() == 0);
        working.subscription.resume();
        awaitAll(1000 - 32);
        paused.process.close();
        members.remove(paused);
        awaitAll(1000);
        assertSame(all(), numbers("jobs", "x", 1000));
    }

    @Test
    void shouldMarkAMessageOnceThatTwoMembersHaveLost() throws Exception {
        Member first = member("jobs");
        first.subscription.pause();
        running.publisher().topic("jobs").publish(new Headers().add("color", "red"), "x0".getBytes(UTF_8));
        first.awaitUnread();
        Member second = member("jobs");
        second.subscription.pause();
        first.process.close();
        second.awaitUnread();
        Queue<String> headers = new ConcurrentLinkedQueue<>();
        running.subscriber()
                .subscribe(
                        "jobs",
                        message -> message.headers().forEach(header -> headers.add(header.key() + "=" + header.text())),
                        WORKERS)
                .ready()
                .get(60, TimeUnit.SECONDS);
        second.process.close();
        await().until(() -> headers.size() >= 2);
        assertThat(headers).containsExactly("redelivered=", "color=red");
        assertThat(running.broker().state().redeliveredCount()).isEqualTo(2);
    }

    @Test
    void shouldGoOnWithAGroupWhenAnotherOneOfTheTopicEnds() throws Exception {
        Member ending = new Member("jobs", SubscriptionOptions.DEFAULTS.withGroup("others"));
        Member staying = member("jobs");
        ending.subscription.pause();
        Publisher publisher = running.publisher();
        publish(publisher, "jobs", "x", 1000);
        ending.awaitUnread();
        ending.subscription.close();
        ending.subscription.closed().get(60, TimeUnit.SECONDS);
        publish(publisher, "jobs", "y", 20_000);
        await().until(() -> staying.received.size() == 21_000);
        await().until(() -> running.broker().topics().get(0).groups().size() == 1);
        assertThat(staying.redelivered).isEmpty();
        assertThat(staying.gaps).isEmpty();
    }

    @Test
    void shouldTellPublishersOfTheMembers() throws Exception {
        TopicPublisher topic = running.publisher().topic("jobs");
        topic.announced().get(60, TimeUnit.SECONDS);
        assertThat(topic.hasSubscribers()).isFalse();
        Member member = member("jobs");
        await().until(topic::hasSubscribers);
        member.subscription.close();
        await().until(() -> !topic.hasSubscribers());
    }

    @Test
    void shouldDisconnectAPublisherWhoseLengthsLie() throws Exception {
        Member member = member("jobs");
        RawClient liar = new RawClient(running, Role.PUBLISHER);
        liar.createBuffer(1, 1000);
        liar.announce(1, 1000, "jobs");
        liar.deliver(1, new byte[] {0, 0, 0, 1, 'a'});
        await().until(() -> member.received.size() == 1);
        liar.deliver(1, new byte[] {0, 0, 0, 1, 'b', 0x7f, -1, -1, -1, 'c'});
        assertThat(liar.awaitCut()).hasMessageContaining("is malformed: its length exceeds");
        await().until(() -> member.received.size() == 2);
        assertThat(member.received).containsExactly("jobs a", "jobs b");
        assertThat(running.broker().state().malformedCount()).isEqualTo(1);
        publish(running.publisher(), "jobs", "x", 10);
        await().until(() -> member.received.size() == 12);
    }

    @Test
    void shouldRefuseAStartAndAPolicy() {
        assertThatThrownBy(() -> WORKERS.withStart(SubscriptionStart.OLDEST))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a group begins with live messages");
        assertThatThrownBy(() -> WORKERS.withSlowPolicy(SlowPolicy.SKIP))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("policy of the topic");
        assertThatThrownBy(() -> SubscriptionOptions.DEFAULTS.withGroup("a+b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("invalid name of a group");
    }
}
