package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever reads the output of {@code sub} pauses for longer than the heartbeat may be silent. */
@Timeout(120)
final class SlowOutputSystemTest {
    private static final int COUNT = 20_000;
    /** Three times the heartbeat timeout. */
    private static final Duration PAUSE = Duration.ofSeconds(3);

    private static final String INTERVAL = "rocketbufs.heartbeat-interval=200 ms";

    @Test
    void shouldHoldThePublisherBackAndLoseNothingWhenItsOutputIsNotReadForLong() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(INTERVAL, "rocketbufs.heartbeat-timeout=1 s");
                RbmqProcess subscriber =
                        RbmqProcess.startUnread("sub", "t", "--broker", broker.address(), "--set", INTERVAL);
                RbmqProcess publisher =
                        RbmqProcess.start("pub", "t", "--lines", "--broker", broker.address(), "--set", INTERVAL)) {
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
