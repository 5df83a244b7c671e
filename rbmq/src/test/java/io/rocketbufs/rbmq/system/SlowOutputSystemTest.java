package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.TransportPair;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests in which the reader of the output of {@code sub} pauses for longer than the heartbeat timeout. */
@Timeout(600)
@ParameterizedClass
@MethodSource("io.rocketbufs.rbmq.TransportPair#all")
final class SlowOutputSystemTest {
    private static final int COUNT = 20_000;
    /** Three times the heartbeat timeout. */
    private static final Duration PAUSE = Duration.ofSeconds(3);

    private static final String INTERVAL = "rocketbufs.heartbeat-interval=200 ms";

    private final TransportPair pair;

    SlowOutputSystemTest(TransportPair pair) {
        this.pair = pair;
    }

    @Test
    void shouldSlowThePublisherDownAndLoseNothingWhenItsOutputIsNotRead() throws Exception {
        try (LocalBroker broker = LocalBroker.start(pair, INTERVAL, "rocketbufs.heartbeat-timeout=1 s");
                RbmqProcess subscriber = broker.unreadLocalSubscriber("sub", "t", "--set", INTERVAL);
                RbmqProcess publisher = broker.localPublisher("pub", "t", "--lines", "--set", INTERVAL)) {
            subscriber.awaitErr("subscribed t");
            NumberedLines typed = NumberedLines.type(publisher, COUNT);
            assertThat(typed.awaitStandstill(PAUSE)).isLessThan(COUNT);
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
}
