package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.TransportPair;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests in which the broker ends while messages flow at full speed. They check the clients' errors and the messages
 * received.
 */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class BrokerLossSystemTest {
    private static final int UNAVAILABLE = 69;
    private static final int ENDLESS = 10_000_000;
    private static final int MANY = 3000;

    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Pattern MISSING = Pattern.compile(
            "rbmq: ([0-9]+) of ([0-9]+) messages were not confirmed by the broker \\([0-9]+ bytes\\)\n");
    private static final Pattern COMPLETE =
            Pattern.compile("rbmq: the broker confirmed every message published before that \\(([0-9]+)\\)\n");

    private final TransportPair pair;

    BrokerLossSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    void shouldReportTheLostConnectionWhenTheBrokerIsKilled() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(pair);
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess publisher = publisher(broker)) {
            NumberedLines lines = NumberedLines.type(publisher, ENDLESS);
            lines.awaitCount(MANY);
            broker.process().signal("KILL");
            assertThat(publisher.exitCode()).isEqualTo(UNAVAILABLE);
            assertThat(subscriber.exitCode()).isEqualTo(UNAVAILABLE);
            lines.join();
            assertThat(publisher.errText())
                    .contains("the connection to the broker was lost")
                    .doesNotContain("\tat ");
            assertThat(subscriber.errText())
                    .contains("the connection to the broker was lost")
                    .doesNotContain("\tat ");
            int received = NumberedLines.checkFirst(subscriber.outText());
            assertThat(received).isPositive().isLessThanOrEqualTo(lines.count() + 1);
        }
    }

    @Test
    void shouldStopWaitingForSpaceWhenTheBrokerIsKilled() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(pair);
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess publisher = publisher(broker)) {
            NumberedLines lines = NumberedLines.type(publisher, ENDLESS);
            lines.awaitCount(MANY);
            broker.process().signal("STOP");
            lines.awaitStandstill(PAUSE);
            broker.process().signal("KILL");
            assertThat(publisher.exitCode()).isEqualTo(UNAVAILABLE);
            Matcher missing = MISSING.matcher(publisher.errText());
            assertThat(missing.find()).as(publisher.errText()).isTrue();
            assertThat(Integer.parseInt(missing.group(1))).isPositive();
            assertThat(Integer.parseInt(missing.group(1))).isLessThan(Integer.parseInt(missing.group(2)));
            assertThat(subscriber.exitCode()).isEqualTo(UNAVAILABLE);
            NumberedLines.checkFirst(subscriber.outText());
        }
    }

    @Test
    void shouldDeliverEverythingThatItConfirmedWhenItIsTerminated() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(pair);
                RbmqProcess subscriber = subscriber(broker);
                RbmqProcess publisher = publisher(broker)) {
            NumberedLines lines = NumberedLines.type(publisher, ENDLESS);
            lines.awaitCount(MANY);
            broker.process().signal("TERM");
            assertThat(broker.process().exitCode()).isEqualTo(143);
            assertThat(broker.process().errText()).doesNotContain("\tat ");
            assertThat(publisher.exitCode()).isEqualTo(UNAVAILABLE);
            assertThat(subscriber.exitCode()).isEqualTo(UNAVAILABLE);
            int confirmed = confirmedCount(publisher.errText());
            assertThat(confirmed).isPositive();
            assertThat(NumberedLines.checkFirst(subscriber.outText())).isGreaterThanOrEqualTo(confirmed);
        }
    }

    @Test
    void shouldServeNewClientsWhenItIsRestartedAtTheSamePort() throws Exception {
        try (BrokerProcess first = BrokerProcess.start(pair);
                RbmqProcess subscriber = subscriber(first)) {
            first.process().signal("KILL");
            assertThat(subscriber.exitCode()).isEqualTo(UNAVAILABLE);
            try (BrokerProcess second = first.startAgain();
                    RbmqProcess again = subscriber(second);
                    RbmqProcess publisher = publisher(second)) {
                NumberedLines.type(publisher, MANY).join();
                assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
                again.awaitOut(NumberedLines.line(MANY - 1) + "\n");
                assertThat(NumberedLines.checkFirst(again.outText())).isEqualTo(MANY);
            }
        }
    }

    private static RbmqProcess subscriber(BrokerProcess broker) {
        RbmqProcess subscriber = broker.localSubscriber("sub", "topic", "--no-reconnect");
        subscriber.awaitErr("subscribed topic");
        return subscriber;
    }

    private static RbmqProcess publisher(BrokerProcess broker) {
        return broker.localPublisher("pub", "topic", "--no-reconnect", "--lines");
    }

    /**
     * Returns the number of messages that the publisher reports as confirmed. The number of lines written to its input
     * is less informative, because the publisher may not have read all of them from the pipe.
     */
    private static int confirmedCount(String report) {
        Matcher complete = COMPLETE.matcher(report);
        if (complete.find()) {
            return Integer.parseInt(complete.group(1));
        }
        Matcher missing = MISSING.matcher(report);
        assertThat(missing.find()).as(report).isTrue();
        return Integer.parseInt(missing.group(2)) - Integer.parseInt(missing.group(1));
    }
}
