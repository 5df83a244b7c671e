package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.Subscription;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of clients that repeat an action that the broker logs. */
@Tag("once")
@Timeout(600)
final class LogVolumeSystemTest {
    private static final int CYCLES = 500;
    /**
     * Twice the maximum number of similar lines about one peer in a minute, including the line about suppressed lines,
     * because a slow machine may need more than a minute.
     */
    private static final int MAX_LINES = 2 * (50 + 1);

    @Test
    void shouldLimitLogLinesAboutConnectionsWithoutAGreeting() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start()) {
            InetSocketAddress address = address(broker);
            for (int i = 0; i < CYCLES; i++) {
                connectAndLeave(address);
            }
            assertBounded(broker, "Connection closed");
        }
    }

    private static void connectAndLeave(InetSocketAddress address) throws IOException {
        try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        }
    }

    @Test
    void shouldLimitLogLinesAboutASubscriberThatKeepsResubscribing() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start();
                RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config());
                Subscriber subscriber = Subscriber.connect(
                        rocketBufs,
                        ClientSettings.subscriber(RunningBroker.config()).withBroker(address(broker)),
                        new SubscriberCallback() {})) {
            for (int i = 0; i < CYCLES; i++) {
                Subscription subscription = subscriber.subscribe("topic", message -> {});
                subscription.ready().get(60, TimeUnit.SECONDS);
                subscription.close();
                subscription.closed().get(60, TimeUnit.SECONDS);
            }
            assertThat(linesAtTheEnd(broker, "joined")).isBetween(1L, (long) MAX_LINES);
        }
    }

    private static void assertBounded(BrokerProcess broker, String text) throws Exception {
        assertThat(linesAtTheEnd(broker, text)).isBetween(1L, (long) MAX_LINES);
        assertThat(broker.process().errText()).containsPattern("[0-9]+ similar lines were suppressed: .*" + text);
    }

    /** Ends the broker and returns the number of its log lines that contain the given text. */
    private static long linesAtTheEnd(BrokerProcess broker, String text) throws Exception {
        broker.process().signal("TERM");
        broker.process().exitCode();
        return broker.process()
                .errText()
                .lines()
                .filter(line -> line.contains(text))
                .count();
    }

    private static InetSocketAddress address(BrokerProcess broker) {
        String[] address = broker.address().split(":");
        return new InetSocketAddress(address[0], Integer.parseInt(address[1]));
    }
}
