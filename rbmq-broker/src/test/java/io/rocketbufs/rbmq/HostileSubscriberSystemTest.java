package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Role;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.NoticeLayout;
import io.rocketbufs.rbmq.protocol.RbmqType;
import io.rocketbufs.rbmq.protocol.TopicLayout;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class HostileSubscriberSystemTest {
    private final RunningBroker running = new RunningBroker("rocketbufs.close-timeout = 500 ms");

    @AfterEach
    void close() {
        running.close();
    }

    @Test
    void shouldShowASubscriberWithSeveralSubscriptionsOnce() throws Exception {
        RawClient subscriber = subscriber();
        subscriber.send(TopicLayout.write(1, null, "t"));
        subscriber.send(TopicLayout.write(2, null, "t"));
        subscriber.send(TopicLayout.write(3, null, "#"));
        running.publisher().topic("t").announced().get(60, TimeUnit.SECONDS);
        assertThat(running.broker().topics())
                .singleElement()
                .satisfies(topic -> assertThat(topic.subscribers()).hasSize(1));
        subscriber.connection().close();
        await().until(() -> running.broker().topics().get(0).subscribers().isEmpty());
    }

    @Test
    void shouldRefuseAFilterOfAClientThatDidNotAnnounceItsSupport() throws Exception {
        byte[] greeting = GreetingLayout.write("old", "");
        Arrays.fill(greeting, 5, 13, (byte) 0);
        RawClient old = new RawClient(running.clients(), running.address(), Role.SUBSCRIBER, greeting);
        old.send(TopicLayout.write(1, null, "a/#"));
        assertThat(old.nextNotice()).startsWith("TOPIC_REFUSED filter \"a/#\" has wildcards, but the client");
    }

    @Test
    void shouldRefuseAnInvalidFilter() throws Exception {
        RawClient subscriber = subscriber();
        subscriber.send(4, 1, 0, 0, 0, 1, 0, '#', '/', 'a');
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED filter=\"#/a\" contains # before the last level");
        subscriber.send(4, 1, 0, 0, 0, 1, 0, '+', '\n');
        assertThat(subscriber.nextNotice()).contains("contains a control character");
        subscriber.send(4, 1, 0, 0, 0, 1, 0, '$', '/', '#');
        assertThat(subscriber.nextNotice()).contains("begins with $");
    }

    @Test
    void shouldRefuseANumberThatIsInUse() throws Exception {
        RawClient subscriber = subscriber();
        subscriber.send(TopicLayout.write(1, null, "t"));
        subscriber.send(TopicLayout.write(1, null, "u"));
        assertThat(subscriber.nextNotice()).startsWith("DEPARTURES");
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_LISTED");
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED subscription 1 already exists");
        assertThat(running.broker().topics())
                .singleElement()
                .matches(topic -> topic.name().equals("t"));
    }

    @Test
    void shouldRefuseAnInvalidTopicName() throws Exception {
        RawClient subscriber = subscriber();
        subscriber.send(4, 1, 0, 0, 0, 1, 0);
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED").contains("topic.length=0");
        byte[] giant = new byte[16_000];
        subscriber.send(ByteBuffer.allocate(7 + giant.length)
                .put(new byte[] {4, 1, 0, 0, 0, 2, 0})
                .put(giant)
                .flip());
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED").contains("topic.length=16000");
        subscriber.send(4, 1, 0, 0, 0, 3, 0, 0xff);
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED").contains("not UTF-8");
        assertThat(running.broker().topics()).isEmpty();
    }

    @Test
    void shouldRefuseAReservedTopicName() throws Exception {
        RawClient subscriber = subscriber();
        subscriber.send(4, 1, 0, 0, 0, 1, 0, '$', 'S');
        assertThat(subscriber.nextNotice()).startsWith("TOPIC_REFUSED topic=\"$S\" begins with $");
    }

    @Test
    void shouldDisconnectASubscriberThatSendsWelcome() throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            RawClient subscriber = subscriber();
            subscriber.send(WelcomeLayout.write(Welcome.of(1, 1000)));
            assertThat(subscriber.awaitCut()).isNotNull();
            await().until(() -> logged.with("RBMQ protocol violation").size() == 1);
        }
        assertStillServes();
    }

    @Test
    void shouldDisconnectASubscriberThatSendsGarbage() throws Exception {
        int[][] garbage = {
            {},
            {4},
            {4, 1},
            {4, 1, 0, 0, 0, 1, 9, 't'},
            {4, 2, 0, 0, 0, 1, 0, 't'},
            {5, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0},
            {1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0xe8, 't'},
            {77, 1},
            {255, 255}
        };
        for (int[] each : garbage) {
            RawClient subscriber = subscriber();
            subscriber.send(each);
            assertThat(subscriber.awaitCut()).isNotNull();
        }
        assertStillServes();
    }

    @Test
    void shouldDisconnectASubscriberThatSendsRandomGarbage() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            RawClient subscriber = subscriber();
            int[] message = random.ints(random.nextInt(40), 0, 256).toArray();
            if (message.length > 0) {
                message[0] = 12 + random.nextInt(244);
            }
            subscriber.send(message);
            assertThat(subscriber.awaitCut()).as("seed %d", seed).isNotNull();
        }
        assertStillServes();
    }

    @Test
    void shouldCountAllMalformedFramesThatASubscriberReportsButLogOnlyAFew() throws Exception {
        try (LoggedLines logged = new LoggedLines()) {
            RawClient subscriber = subscriber();
            for (int i = 0; i < 1000; i++) {
                subscriber.send(NoticeLayout.write(RbmqType.MALFORMED, 1, i, i, "what\never"));
            }
            await().until(() -> running.broker().state().malformedCount() == 1000);
            assertThat(logged.with("malformed"))
                    .hasSize(10)
                    .allMatch(line -> line.startsWith("WARN Subscriber \"raw\" at 127.0.0.1:"))
                    .allMatch(line -> line.endsWith(": what\ufffdever"));
            assertThat(logged.with("further warnings are not logged")).hasSize(1);
        }
    }

    @Test
    void shouldForgetTheTopicsOfASubscriberThatHasLeft() throws Exception {
        RawClient subscriber = subscriber();
        for (int i = 0; i < 1000; i++) {
            subscriber.send(TopicLayout.write(i, null, "topic " + i));
        }
        await().until(() -> running.broker().state().topicCount() == 1000);
        subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, 7, ""));
        await().until(() -> running.broker().state().topicCount() == 999);
        subscriber.connection().close();
        await().until(() -> running.broker().state().topicCount() == 0);
    }

    /**
     * The kernel of a peer that does not read may run out of memory for the connection. It then also drops
     * acknowledgements, so that no further data arrives from the peer and only the heartbeat timeout ends the
     * connection.
     */
    @Test
    void shouldDisconnectASubscriberThatDoesNotReadItsControlMessages() throws Exception {
        try (RawSocket unresponsive = new RawSocket(running.address(), Role.SUBSCRIBER, 1_000)) {
            assertThatThrownBy(() -> askOften(unresponsive)).isInstanceOf(IOException.class);
            await().until(() -> running.broker().state().subscriberCount() == 0);
        }
        assertStillServes();
    }

    @Test
    void shouldIgnoreFurtherRequestsOfASubscriberThatDoesNotReadItsControlMessages() throws Exception {
        Publisher publisher = running.publisher(running.publisherSettings().withCapacities(1000, 1000));
        for (int i = 0; i < 100; i++) {
            publisher.topic("t".repeat(250) + i).announced().get(60, TimeUnit.SECONDS);
        }
        try (LoggedLines logged = new LoggedLines();
                RawSocket unresponsive = new RawSocket(running.address(), Role.SUBSCRIBER)) {
            askUntilDisconnected(unresponsive);
            await().until(() -> !logged.with(" left").isEmpty());
            assertThat(logged.with("does not read its control messages")).hasSize(1);
            int joined = logged.with(" joined ").stream()
                    .map(Pattern.compile("joined (\\d+) more topics")::matcher)
                    .filter(Matcher::find)
                    .mapToInt(found -> Integer.parseInt(found.group(1)))
                    .sum();
            assertThat(joined).isLessThan(1000);
        }
        assertStillServes();
    }

    /** Sends so many requests that the broker and the operating system cannot buffer all responses. */
    private static void askOften(RawSocket subscriber) throws IOException {
        for (int i = 0; i < 1_000_000; i++) {
            subscriber.send(TopicLayout.write(1, null, "t"));
            subscriber.send(NoticeLayout.ofSubscription(RbmqType.TOPIC_UNSUBSCRIBE, 1, ""));
        }
    }

    /** Requests the list of all topics until the broker disconnects the client, or so often that it should have. */
    private static void askUntilDisconnected(RawSocket subscriber) {
        try {
            for (int i = 0; i < 100_000; i++) {
                subscriber.send(TopicLayout.write(i, null, "#"));
            }
        } catch (IOException e) {
            // The broker has disconnected the client.
        }
    }

    private RawClient subscriber() throws Exception {
        return new RawClient(running, Role.SUBSCRIBER);
    }

    private void assertStillServes() throws Exception {
        Messages received = new Messages();
        running.subscriber().subscribe("still", received).ready().get(60, TimeUnit.SECONDS);
        Publisher publisher = running.publisher();
        publisher.publish("still", "here".getBytes(UTF_8));
        await().until(() -> received.count() == 1);
    }
}
