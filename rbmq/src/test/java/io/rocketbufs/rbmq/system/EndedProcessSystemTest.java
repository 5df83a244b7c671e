package io.rocketbufs.rbmq.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.TransportPair;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which a broker or a client is terminated or killed. They check the output of the ended process and the
 * effect on the other processes.
 */
@Tag("once")
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class EndedProcessSystemTest {
    private static final String[] SUB = {"sub", "topic", "--no-reconnect"};
    private static final String[] PUB = {"pub", "topic", "--no-reconnect", "--lines"};
    private static final int UNAVAILABLE = 69;
    private static final int SIGTERM = 143;

    private final TransportPair pair;

    EndedProcessSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    void shouldConfirmWhatSubscribersHaveReceivedWhenTheBrokerIsTerminated() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(pair);
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess publisher = broker.localPublisher(PUB)) {
            publisher.type("one\n".repeat(20));
            subscriber.awaitOut("one\n".repeat(20));
            awaitConsumed(broker);
            broker.process().signal("TERM");
            assertThat(broker.process().exitCode()).isEqualTo(SIGTERM);
            assertThat(broker.process().errText()).doesNotContain("\tat ");
            assertThat(subscriber.exitCode()).isEqualTo(UNAVAILABLE);
            assertThat(subscriber.outText()).isEqualTo("one\n".repeat(20));
            assertThat(publisher.exitCode()).isEqualTo(UNAVAILABLE);
            // Every message is confirmed, even though 20 lines are far less than a quarter of the broker's buffer.
            assertThat(publisher.errText())
                    .isEqualTo("rbmq: the connection to the broker was lost\n"
                            + "rbmq: the broker confirmed every message published before that (20)\n");
            assertThat(subscriber.errText())
                    .contains("the connection to the broker was lost")
                    .doesNotContain("\tat ");
        }
    }

    @Test
    void shouldReportHowManyMessagesWereNotConfirmedWhenTheBrokerIsKilled() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(pair);
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess publisher = broker.publisher(PUB)) {
            publisher.type("one\n");
            subscriber.awaitOut("one\n");
            broker.process().signal("STOP");
            publisher.type("two\nthree\n");
            publisher.endInput();
            publisher.awaitInputPublished();
            broker.process().signal("KILL");
            assertThat(publisher.exitCode()).isEqualTo(UNAVAILABLE);
            assertThat(publisher.errText()).containsPattern("[23] of 3 messages were not confirmed by the broker");
            assertThat(publisher.errText()).doesNotContain("\tat ");
            assertThat(subscriber.exitCode()).isEqualTo(UNAVAILABLE);
        }
    }

    @Test
    void shouldEndWhenTheBrokerIsKilledWhileThePublisherIsIdle() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(pair);
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess publisher = broker.localPublisher(PUB)) {
            publisher.type("one\n");
            subscriber.awaitOut("one\n");
            broker.process().signal("KILL");
            assertThat(publisher.exitCode()).isEqualTo(UNAVAILABLE);
            assertThat(publisher.errText()).startsWith("rbmq: the connection to the broker was lost\n");
        }
    }

    @Test
    void shouldServeTheOthersWhenAPublisherIsKilled() throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess killed = broker.publisher(PUB);
                RbmqProcess other = broker.localPublisher(PUB)) {
            killed.type("from the one\n");
            subscriber.awaitOut("from the one\n");
            killed.signal("KILL");
            other.type("from the other\n");
            subscriber.awaitOut("from the other\n");
            other.endInput();
            assertThat(other.exitCode()).as(other.errText()).isZero();
            assertThat(subscriber.isAlive()).isTrue();
        }
    }

    @Test
    void shouldServeTheOthersWhenASubscriberIsKilled() throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess killed = subscribed(broker.subscriber(SUB));
                RbmqProcess other = subscriber(broker);
                RbmqProcess publisher = broker.localPublisher(PUB)) {
            publisher.type("one\n");
            killed.awaitOut("one\n");
            other.awaitOut("one\n");
            killed.signal("KILL");
            publisher.type("two\n");
            other.awaitOut("two\n");
            publisher.endInput();
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
        }
    }

    @Test
    void shouldPrintItsResultWhenARoleIsTerminated() throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess subscriber = broker.subscriber("bench", "subscriber", "--topic", "t")) {
            subscriber.awaitOut("subscribed\n");
            try (RbmqProcess publisher = broker.publisher("bench", "publisher", "--topic", "t", "--size", "100")) {
                publisher.awaitOut("publishing\n");
                publisher.signal("TERM");
                assertThat(publisher.exitCode()).isEqualTo(SIGTERM);
                assertThat(publisher.lastLine())
                        .matches("\\{\"role\":\"publisher\",\"sent\":[0-9]+,\"per_s\":[0-9.]+}");
            }
            subscriber.signal("TERM");
            assertThat(subscriber.exitCode()).isEqualTo(SIGTERM);
            assertThat(subscriber.lastLine())
                    .matches("\\{\"role\":\"subscriber\",\"received\":[0-9]+,\"per_s\":[0-9.]+,"
                            + "\"lost\":0,\"duplicated\":0,\"reordered\":0,\"corrupted\":0}");
        }
    }

    /** Waits until the broker has recorded that the subscribers have received all data of the publishers. */
    private static void awaitConsumed(BrokerProcess broker) {
        URI metrics = URI.create("http://" + broker.adminAddress() + "/metrics");
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            String text;
            try (InputStream in = metrics.toURL().openStream()) {
                text = new String(in.readAllBytes(), UTF_8);
            }
            return sum(text, "rbmq_received_bytes_total ") > 0 && sum(text, "rbmq_lag_bytes ") == 0;
        });
    }

    private static double sum(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private static RbmqProcess subscriber(TestedBroker broker) {
        return subscribed(broker.localSubscriber(SUB));
    }

    private static RbmqProcess subscribed(RbmqProcess subscriber) {
        subscriber.awaitErr("subscribed topic");
        return subscriber;
    }
}
