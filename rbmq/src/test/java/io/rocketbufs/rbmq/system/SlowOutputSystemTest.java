package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever reads the output of {@code sub} pauses for longer than the heartbeat may be silent. */
@Timeout(120)
final class SlowOutputSystemTest {
    private static final int COUNT = 20_000;
    private static final String FILLING = "x".repeat(1000);
    /** Three times the heartbeat timeout. */
    private static final long PAUSE_NS = 3_000_000_000L;

    private static final String INTERVAL = "rocketbufs.heartbeat-interval=200 ms";

    private final AtomicInteger published = new AtomicInteger();

    @Test
    void shouldHoldThePublisherBackAndLoseNothingWhenItsOutputIsNotReadForLong() throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(INTERVAL, "rocketbufs.heartbeat-timeout=1 s");
                RbmqProcess subscriber =
                        RbmqProcess.startUnread("sub", "t", "--broker", broker.address(), "--set", INTERVAL);
                RbmqProcess publisher =
                        RbmqProcess.start("pub", "t", "--lines", "--broker", broker.address(), "--set", INTERVAL)) {
            subscriber.awaitErr("subscribed t");
            CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> publish(publisher.stdin()));
            int standstill = awaitStandstill();
            assertThat(standstill).isLessThan(COUNT);
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(subscriber.stdout(), StandardCharsets.UTF_8))) {
                for (int i = 0; i < COUNT; i++) {
                    assertThat(lines.readLine()).isEqualTo(i + FILLING);
                }
            }
            publishing.get(30, TimeUnit.SECONDS);
            assertThat(publisher.exitCode()).as(publisher.errText()).isZero();
            assertThat(subscriber.errText()).isEqualTo("subscribed t\n");
        }
    }

    private void publish(OutputStream stdin) {
        try (stdin) {
            for (int i = 0; i < COUNT; i++) {
                stdin.write((i + FILLING + "\n").getBytes(StandardCharsets.UTF_8));
                published.incrementAndGet();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until nothing is published for the whole pause. */
    private int awaitStandstill() {
        int[] last = {0};
        long[] sinceNs = {System.nanoTime()};
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            int now = published.get();
            if (now != last[0]) {
                last[0] = now;
                sinceNs[0] = System.nanoTime();
            }
            return now > 0 && System.nanoTime() - sinceNs[0] > PAUSE_NS;
        });
        return last[0];
    }
}
