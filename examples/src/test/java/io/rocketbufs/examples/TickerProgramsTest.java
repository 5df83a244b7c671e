package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.examples.RunningExample.Listening;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class TickerProgramsTest {
    private static final Pattern READING = Pattern.compile("tick (\\d+) after (\\d+) read and (\\d+) missed");
    private static final Duration LONGER_THAN_BOTH_BUFFERS_LAST = Duration.ofMillis(800);

    @Test
    void shouldReportToAReaderHowManyTicksItMissed() throws Exception {
        try (Listening publisher = RunningExample.startListening("TickerPublisher", "127.0.0.1:0");
                RunningExample subscriber = RunningExample.start("TickerSubscriber", "silver", publisher.address())) {
            subscriber.await("subscribed to silver");
            Reading first = read(subscriber);
            AtomicReference<Reading> last = new AtomicReference<>(first);
            await().pollInterval(LONGER_THAN_BOTH_BUFFERS_LAST).until(() -> {
                Reading next = read(subscriber);
                assertThat(next.tick - last.get().tick).isEqualTo(next.readCount + next.missedCount);
                last.set(next);
                return next.missedCount > 0;
            });
            subscriber.endInput();
            assertThat(subscriber.awaitEnd()).isZero();
            publisher.program().interrupt();
        }
    }

    @Test
    void shouldReportAnUnknownTicker() throws Exception {
        try (Listening publisher = RunningExample.startListening("TickerPublisher", "127.0.0.1:0");
                RunningExample subscriber = RunningExample.start("TickerSubscriber", "tin", publisher.address())) {
            assertThat(subscriber.next()).isEqualTo("TickerSubscriber: there is no ticker \"tin\"");
            assertThat(subscriber.awaitEnd()).isEqualTo(1);
        }
    }

    private static Reading read(RunningExample subscriber) throws Exception {
        String line;
        do {
            subscriber.write("");
            line = subscriber.next();
        } while (line.equals("no new tick"));
        Matcher reading = READING.matcher(line);
        assertThat(reading.matches()).as(line).isTrue();
        return new Reading(
                Long.parseLong(reading.group(1)), Long.parseLong(reading.group(2)), Long.parseLong(reading.group(3)));
    }

    private record Reading(long tick, long readCount, long missedCount) {}
}
