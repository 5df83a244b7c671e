package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.protocol.AnnounceLayout;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
@Timeout(600)
final class HostilePublisherSystemTest {
    /** The bit in the capacity field that requests that the last message be kept. */
    private static final long KEEP_LAST = 1L << 56;

    private final RunningBroker running = new RunningBroker();
    private final List<String> errors = new CopyOnWriteArrayList<>();
    private final Messages messages = new Messages();

    @AfterEach
    void close() throws Exception {
        running.close();
    }

    @Test
    void shouldRefuseATopicThatIsAnnouncedTwiceOnAConnection() throws Exception {
        RawClient publisher = publisher();
        publisher.createBuffer(2, 1000);
        publisher.announce(1, 1000, "t");
        publisher.announce(2, 1000, "t");
        assertOneIsRefused(publisher, "ANNOUNCE_REFUSED topic \"t\" is already announced");
    }

    @Test
    void shouldRefuseABufferThatAlreadyBelongsToATopic() throws Exception {
        RawClient publisher = publisher();
        publisher.announce(1, 1000, "t");
        publisher.announce(1, 1000, "u");
        assertOneIsRefused(publisher, "ANNOUNCE_REFUSED buffer 1 already belongs to a topic");
    }

    @Test
    void shouldRefuseABufferThatDoesNotExist() throws Exception {
        RawClient publisher = publisher();
        publisher.announce(99, 1000, "t");
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCE_REFUSED").contains("does not exist");
        assertThat(running.broker().topics()).isEmpty();
    }

    @Test
    void shouldLogOneLineWhenAnUnresponsivePublisherIsLost() throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            RawSocket publisher = new RawSocket(running.address(), Role.PUBLISHER);
            for (int i = 0; i < 100; i++) {
                publisher.send(AnnounceLayout.write(i, 1000, "topic " + i));
            }
            for (int i = 0; i < 100; i++) {
                publisher.nextControl();
            }
            publisher.close();
            await().until(() -> !logged.with("left").isEmpty());
            assertThat(logged.with("Refused")).isEmpty();
        }
    }

    @Test
    void shouldRefuseATopicWithAControlCharacter() throws Exception {
        RawClient publisher = publisher();
        publisher.send(1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0xe8, 'a', '\n', 'b');
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCE_REFUSED").contains("control character");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1 ^ KEEP_LAST, Long.MIN_VALUE})
    void shouldRefuseACapacityThatIsNotPositive(long capacity) throws Exception {
        RawClient publisher = publisher();
        publisher.announce(1, capacity, "t");
        assertThat(publisher.nextNotice()).isEqualTo("ANNOUNCE_REFUSED capacity=" + capacity + " is not positive");
    }

    @ParameterizedTest
    @ValueSource(longs = {(64L << 20) + 1, KEEP_LAST - 1, Long.MAX_VALUE ^ KEEP_LAST})
    void shouldRefuseACapacityThatExceedsTheLimit(long capacity) throws Exception {
        RawClient publisher = publisher();
        publisher.announce(1, capacity, "t");
        assertThat(publisher.nextNotice())
                .isEqualTo("ANNOUNCE_REFUSED capacity=" + capacity + " exceeds rbmq.broker.max-capacity=67108864");
    }

    @Test
    void shouldAnnounceAgainAfterARefusal() throws Exception {
        RawClient publisher = publisher();
        publisher.announce(99, 1000, "t");
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCE_REFUSED");
        publisher.announce(1, 1000, "t");
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCED");
    }

    @Test
    void shouldDisconnectAPublisherThatSendsGarbage() throws Exception {
        int[][] garbage = {
            {},
            {1},
            {1, 1},
            {1, 1, 0, 0, 0, 1},
            {1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 't'},
            {0, 1},
            {77, 1},
            {13, 1, 0, 0, 0, 1, 0, 0, 0, 1},
            {255, 255}
        };
        for (int[] each : garbage) {
            RawClient publisher = publisher();
            publisher.send(each);
            publisher.awaitCut();
        }
        assertStillServes();
    }

    @Test
    void shouldDisconnectAPublisherThatSendsRandomGarbage() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            RawClient publisher = publisher();
            int[] message = random.ints(random.nextInt(40), 0, 256).toArray();
            if (message.length > 0) {
                message[0] = 2 + random.nextInt(254);
            }
            publisher.send(message);
            assertThat(publisher.awaitCut()).as("seed %d", seed).isNotNull();
        }
        assertStillServes();
    }

    @Test
    void shouldRefuseATopicWithAReservedName() throws Exception {
        RawClient publisher = publisher();
        publisher.send(1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0xe8, 'a', '/', '#');
        assertThat(publisher.nextNotice()).startsWith("ANNOUNCE_REFUSED topic=\"a/#\" contains + or #");
    }

    @Test
    void shouldDisconnectAPublisherThatSendsWelcome() throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            RawClient publisher = publisher();
            publisher.send(WelcomeLayout.write(Welcome.of(1, 1000)));
            assertThat(publisher.awaitCut()).isNotNull();
            await().until(() -> logged.with("RBMQ protocol violation").size() == 1);
        }
        assertStillServes();
    }

    @Test
    void shouldDisconnectAPublisherThatSendsASubscribersMessage() throws Exception {
        RawClient publisher = publisher();
        publisher.send(TopicLayout.write(1, null, "t"));
        assertThat(publisher.awaitCut()).isNotNull();
        assertStillServes();
    }

    @Test
    void shouldEndOnlyTheSubscriptionToThePublisherWhoseFrameIsMalformed() throws Exception {
        Subscriber subscriber = subscribed();
        RawClient hostile = publisher();
        hostile.announce(1, 1000, "t");
        hostile.deliver(
                1, (byte) 0, (byte) 0, (byte) 0, (byte) 2, (byte) 'o', (byte) 'k', (byte) 0, (byte) 0, (byte) 1);
        await().until(() -> errors.size() == 1);
        assertThat(errors.get(0)).contains("cut off after 3 bytes");
        assertThat(messages.texts()).containsExactly("ok");
        assertThat(subscriber.malformedCount()).isEqualTo(1);
        await().until(() -> running.broker().state().malformedCount() == 1);
        hostile.deliver(1, (byte) 0, (byte) 0, (byte) 0, (byte) 0);
        running.publisher().publish("t", "good".getBytes(UTF_8));
        await().until(() -> messages.count() == 2);
        assertThat(messages.texts()).containsExactly("ok", "good");
        assertThat(subscriber.isConnected()).isTrue();
    }

    @Test
    void shouldRefuseFramesWithInvalidLengths() throws Exception {
        Subscriber subscriber = subscribed();
        int[] lengths = {1, 5, 1000, Integer.MAX_VALUE, -1, -4, Integer.MIN_VALUE};
        for (int length : lengths) {
            RawClient hostile = publisher();
            hostile.announce(1, 1000, "t");
            hostile.deliver(1, (byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length);
        }
        await().until(() -> errors.size() == lengths.length);
        assertThat(errors)
                .filteredOn(error -> error.contains("a frame has malformed headers: length=0"))
                .hasSize(1);
        assertThat(subscriber.malformedCount()).isEqualTo(lengths.length);
        assertThat(messages.texts()).isEmpty();
        assertStillServes();
    }

    @Test
    void shouldRefuseAMalformedFrameThatWraps() throws Exception {
        Subscriber subscriber = running.subscriber(running.client().withCapacities(1000, 1000), callback());
        subscriber.subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
        RawClient hostile = publisher();
        hostile.announce(1, 1000, "t");
        byte[] whole = new byte[998];
        whole[2] = (byte) (994 >> 8);
        whole[3] = (byte) 994;
        hostile.deliver(1, whole);
        await().until(() -> messages.count() == 1);
        hostile.deliver(1, (byte) 0, (byte) 0, (byte) 0, (byte) 2, (byte) 'x');
        await().until(() -> errors.size() == 1);
        assertThat(errors.get(0)).contains("a frame has length=2, but 1 bytes remain");
    }

    @Test
    void shouldRefuseAConnectionThatUsesAnotherProtocol() {
        byte[][] greetings = {
            {},
            "hello".getBytes(UTF_8),
            "RBMQ".getBytes(UTF_8),
            {'R', 'B', 'M', 'Q', 9, 0, 0},
            {'R', 'B', 'M', 'Q', 2, 0, 0, 0},
            {'R', 'B', 'M', 'Q', 2, 0, 0, 0, 0, 0, 0, 0, 0, 50, 0}
        };
        for (byte[] greeting : greetings) {
            assertThatThrownBy(() -> new RawClient(running.clients(), running.address(), Role.PUBLISHER, greeting))
                    .hasMessageContaining("refused");
        }
        assertThat(running.broker().state().refusedCount()).isEqualTo(greetings.length);
    }

    @Test
    void shouldRefuseAPeerThatIsNeitherPublisherNorSubscriber() {
        assertThatThrownBy(() -> new RawClient(running, Role.PEER)).hasMessageContaining("publishers and subscribers");
    }

    /**
     * Checks that one announcement is refused and the other is accepted, in any order. Acceptance requires a round
     * trip, which may complete before or after the refusal.
     */
    private static void assertOneIsRefused(RawClient publisher, String refusal) throws Exception {
        assertThat(List.of(publisher.nextNotice(), publisher.nextNotice()))
                .anyMatch(notice -> notice.startsWith(refusal))
                .anyMatch(notice -> notice.startsWith("ANNOUNCED"));
    }

    private RawClient publisher() throws Exception {
        RawClient publisher = new RawClient(running, Role.PUBLISHER);
        publisher.createBuffer(1, 1000);
        return publisher;
    }

    private Subscriber subscribed() throws Exception {
        Subscriber subscriber = running.subscriber(running.client(), callback());
        subscriber.subscribe("t", messages).ready().get(60, TimeUnit.SECONDS);
        return subscriber;
    }

    private SubscriberCallback callback() {
        return new SubscriberCallback() {
            @Override
            public void onError(String topic, int publisher, Throwable error) {
                errors.add(topic + " " + error.getMessage());
            }
        };
    }

    private void assertStillServes() throws Exception {
        Messages received = new Messages();
        running.subscriber().subscribe("still", received).ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher();
        publisher.publish("still", "here".getBytes(UTF_8));
        await().until(() -> received.count() == 1);
    }
}
