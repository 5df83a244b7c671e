package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.TransportPair;
import io.rocketbufs.rbmq.broker.TopicState.SubscriberState;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests in which the output of {@code sub} is not read. */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class SlowOutputSystemTest {
    private static final int COUNT = 20_000;
    /** More messages than a subscriber sends for received data after the broker has sent it the last data. */
    private static final int SIGNS_OF_LIFE = 6;

    private final TransportPair pair;

    SlowOutputSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    void shouldSlowThePublisherDownAndLoseNothingWhenItsOutputIsNotRead() throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair);
                RbmqProcess subscriber = broker.unreadLocalSubscriber("sub", "t");
                RbmqProcess publisher = broker.localPublisher("pub", "t", "--lines")) {
            subscriber.awaitErr("subscribed t");
            NumberedLines typed = NumberedLines.type(publisher, COUNT);
            // A subscriber that sends signs of life stays connected, no matter for how long its output is not read.
            awaitSignsOfLifeFromABlockedSubscriber(broker.running());
            assertThat(typed.count()).isLessThan(COUNT);
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(subscriber.stdout(), StandardCharsets.UTF_8))) {
                for (int i = 0; i < COUNT; i++) {
                    assertThat(lines.readLine()).isEqualTo(NumberedLines.line(i));
                }
            }
            typed.join();
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            assertThat(subscriber.errText()).isEqualTo("subscribed t\n");
        }
    }

    private static void awaitSignsOfLifeFromABlockedSubscriber(RunningBroker running) {
        long[] sentLength = {0};
        long[] receivedCount = {0};
        await().until(() -> {
            List<SubscriberState> subscribers = running.broker().topics().stream()
                    .flatMap(topic -> topic.subscribers().stream())
                    .filter(each -> each.currentDelayMs() > 0)
                    .toList();
            for (SubscriberState each : subscribers) {
                long now = running.receivedCountFrom(each.peer());
                if (each.sentLength() == sentLength[0]) {
                    return now - receivedCount[0] >= SIGNS_OF_LIFE;
                }
                sentLength[0] = each.sentLength();
                receivedCount[0] = now;
            }
            return false;
        });
    }
}
