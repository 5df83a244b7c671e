package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.Continuity;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.ReconnectSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.TopicPublisher;
import io.rocketbufs.text.HostPort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests in which a broker is killed and restarted several times, and its clients reconnect. */
@Timeout(600)
@Tag("once")
final class KilledBrokerSystemTest {
    private static final int BETWEEN = 20_000;
    private static final Duration LIMIT = Duration.ofSeconds(150);
    private static final String[] SOON = {
        "--set", "rbmq.client.reconnect.first=20 ms", "--set", "rbmq.client.reconnect.longest=100 ms"
    };

    @Test
    void shouldConnectAgainAndSayWhatIsNotKnownWhenTheBrokerIsKilledUnderLoad() throws Exception {
        killUnderLoad(3);
    }

    @Test
    @Tag("slow")
    void shouldConnectAgainAndSayWhatIsNotKnownWhenTheBrokerIsKilledTwentyTimesUnderLoad() throws Exception {
        killUnderLoad(20);
    }

    private static void killUnderLoad(int killCount) throws Exception {
        try (BrokerProcess first = BrokerProcess.start();
                RbmqProcess subscriber = first.localSubscriber(with("sub", "topic"));
                RbmqProcess publisher = first.localPublisher(with("pub", "topic", "--lines"))) {
            subscriber.awaitErr("subscribed topic");
            int total = BETWEEN * (killCount + 2);
            NumberedLines lines = NumberedLines.type(publisher, total);
            BrokerProcess broker = first;
            for (int kill = 1; kill <= killCount; kill++) {
                lines.awaitCount(BETWEEN * kill);
                broker.process().signal("KILL");
                broker.process().exitCode();
                if (broker != first) {
                    broker.close();
                }
                broker = first.startAgain();
                int expected = kill;
                await().atMost(LIMIT)
                        .until(() -> count(subscriber, "reconnected to") == expected
                                && count(publisher, "reconnected to") == expected);
            }
            try (BrokerProcess last = broker) {
                lines.join();
                assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
                subscriber.awaitOut(NumberedLines.line(total - 1) + "\n");
                assertThat(count(subscriber, "topic topic: it is not known what was missed"))
                        .isEqualTo(killCount);
                assertThat(count(subscriber, "which is another broker or was restarted"))
                        .isEqualTo(killCount);
                assertThat(publisher.errText())
                        .contains("messages were sent again")
                        .doesNotContain("\tat ");
                assertThat(subscriber.errText()).doesNotContain("skipped", "\tat ");
                // Messages are missing or repeated only where the subscriber was notified.
                assertThat(jumpCount(subscriber.outText())).isLessThanOrEqualTo(killCount);
                assertThat(last.process().errText()).doesNotContain("\tat ");
            }
        }
    }

    @Test
    void shouldReceiveOrBeToldOfEachMessageOfEachTopicWhenTheBrokerIsKilledUnderLoad() throws Exception {
        killUnderTopics(2);
    }

    @Test
    @Tag("slow")
    void shouldReceiveOrBeToldOfEachMessageOfEachTopicWhenTheBrokerIsKilledTwentyTimesUnderLoad() throws Exception {
        killUnderTopics(20);
    }

    private static void killUnderTopics(int killCount) throws Exception {
        Continuity seen = new Continuity();
        Semaphore rounds = new Semaphore(1);
        BrokerProcess broker = BrokerProcess.start();
        try (RocketBufs rocketBufs = RocketBufs.open(ConfigFactory.load());
                Subscriber subscriber = Subscriber.connect(rocketBufs, clientOf(broker), seen);
                Publisher publisher = Publisher.connect(rocketBufs, clientOf(broker))) {
            List<TopicPublisher> topics = new ArrayList<>();
            for (String topic : List.of("a", "b", "c")) {
                subscriber.subscribe(topic, seen).ready().get(60, TimeUnit.SECONDS);
                topics.add(publisher.topic(topic));
            }
            Thread publishing = new Thread(() -> publishRounds(topics, rounds, killCount + 1), "publishing");
            publishing.start();
            for (int kill = 1; kill <= killCount; kill++) {
                long half = BETWEEN * (kill - 1L) + BETWEEN / 2;
                await().atMost(LIMIT).until(() -> topics.get(0).publishedCount() > half);
                broker.process().signal("KILL");
                broker.process().exitCode();
                rounds.release();
                BrokerProcess killed = broker;
                broker = killed.startAgain();
                killed.close();
                int expected = kill;
                await().atMost(LIMIT)
                        .until(() -> seen.reconnectCount() == expected && publisher.reconnectCount() == expected);
            }
            publishing.join();
            assertThat(publisher.flush(LIMIT.toMillis())).isTrue();
            for (TopicPublisher topic : topics) {
                long sent = publishUntilSeen(topic, seen, BETWEEN * (killCount + 1L));
                assertThat(seen.receivedCount(topic.topic())
                                + seen.missedCount(topic.topic())
                                + seen.unknownMissedCount(topic.topic()))
                        .as(topic.topic())
                        .isEqualTo(sent);
            }
            assertThat(seen.faults()).isEmpty();
        } finally {
            broker.close();
        }
    }

    private static void publishRounds(List<TopicPublisher> topics, Semaphore rounds, int count) {
        for (int round = 0; round < count; round++) {
            rounds.acquireUninterruptibly();
            for (int i = 0; i < BETWEEN; i++) {
                for (TopicPublisher topic : topics) {
                    long number = (long) BETWEEN * round + i;
                    Continuity.publish(topic, number, number + 1);
                }
            }
        }
    }

    /**
     * Publishes further messages until the subscriber has accounted for all messages; returns their total number. On a
     * busy machine, the subscriber may reconnect after the broker has discarded all earlier messages. Only a further
     * message then reveals that they are missing.
     */
    private static long publishUntilSeen(TopicPublisher topic, Continuity seen, long count) {
        long[] sent = {count};
        await().atMost(LIMIT).until(() -> {
            boolean isSeen = seen.next(topic.topic()) == sent[0];
            if (!isSeen) {
                Continuity.publish(topic, sent[0], ++sent[0]);
            }
            return isSeen;
        });
        return sent[0];
    }

    private static ClientSettings clientOf(BrokerProcess broker) {
        return ClientSettings.from(ConfigFactory.load())
                .withBrokers(List.of(HostPort.parse(broker.address())))
                .withReconnect(new ReconnectSettings(true, 20, 100, 0.3, 0));
    }

    private static String[] with(String... arguments) {
        String[] all = new String[arguments.length + SOON.length];
        System.arraycopy(arguments, 0, all, 0, arguments.length);
        System.arraycopy(SOON, 0, all, arguments.length, SOON.length);
        return all;
    }

    private static int count(RbmqProcess process, String text) {
        return process.errText().split(Pattern.quote(text), -1).length - 1;
    }

    /** Returns the number of lines that do not directly follow the line with the preceding number. */
    private static int jumpCount(String text) {
        String filling = NumberedLines.line(0).substring(1);
        int jumps = 0;
        int next = 0;
        for (String line : text.split("\n")) {
            assertThat(line).endsWith(filling);
            int number = Integer.parseInt(line.substring(0, line.length() - filling.length()));
            jumps += number == next ? 0 : 1;
            next = number + 1;
        }
        return jumps;
    }
}
