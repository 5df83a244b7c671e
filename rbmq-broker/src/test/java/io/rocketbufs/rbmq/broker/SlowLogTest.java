package io.rocketbufs.rbmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rbmq.LoggedLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@Tag("once")
final class SlowLogTest {
    private static final long SECOND_MS = 1000;
    private static final long HOUR_MS = 3_600_000;

    private final LoggedLines lines = new LoggedLines();
    private final List<Long> intervals = new ArrayList<>();
    private final List<Timer> timers = new ArrayList<>();
    private long nowMs = 123_456;
    private boolean timerIsClosed;
    private final SlowLog log = new SlowLog(
            LoggerFactory.getLogger(SlowLogTest.class), SlowLog.Kind.DELAY, "S \"risk\"", this::schedule, () -> nowMs);

    /** A task and the time at which it is due. */
    private record Timer(long dueMs, Runnable task) {}

    @AfterEach
    void close() {
        lines.close();
    }

    private void schedule(Runnable task, long delayMs) {
        if (timerIsClosed) {
            throw new RejectedExecutionException();
        }
        intervals.add(delayMs);
        timers.add(new Timer(nowMs + delayMs, task));
    }

    /** Advances the clock and runs the tasks that become due, which end intervals. */
    private void pass(long ms) {
        long end = nowMs + ms;
        while (!timers.isEmpty() && timers.get(0).dueMs() <= end) {
            Timer due = timers.remove(0);
            nowMs = due.dueMs();
            due.task().run();
        }
        nowMs = end;
    }

    private SlowLog.Source begin(String topic) {
        SlowLog.Source delay = new SlowLog.Source("publisher 3 \"feed\"", "topic \"" + topic + "\"");
        log.begin(delay, 1_044_480, "block");
        return delay;
    }

    private SlowLog.Source begin() {
        return begin("prices");
    }

    private void end(SlowLog.Source delay) {
        log.end(delay, false, 100);
    }

    /** Repeatedly begins and ends a delay for the given time. */
    private void oscillate(long ms) {
        oscillate(ms, 1);
    }

    /** Repeatedly begins and ends delays on one topic after another for the given time. */
    private void oscillate(long ms, int topicCount) {
        int count = 0;
        for (long endMs = nowMs + ms; nowMs < endMs; count++) {
            SlowLog.Source delay = begin(topicCount == 1 ? "prices" : "t" + count % topicCount);
            pass(200);
            log.end(delay, false, 200);
            pass(1100);
        }
    }

    private List<String> logged() {
        return lines.with("S \"risk\"");
    }

    @Test
    void shouldLogTheBeginningAndTheEndOfADelay() {
        SlowLog.Source delay = begin();
        assertThat(logged())
                .containsExactly(
                        "WARN S \"risk\" is delaying publisher 3 \"feed\" on topic \"prices\": 1044480 bytes are"
                                + " waiting (slow-policy block)");
        log.end(delay, false, 8240);
        assertThat(logged()).hasSize(2);
        assertThat(logged().get(1))
                .isEqualTo("INFO S \"risk\" no longer delays publisher 3 \"feed\" on topic \"prices\"; the delay lasted"
                        + " 8.2 s");
    }

    @Test
    void shouldLogLossesWithTheirBytesInTheSameWay() {
        SlowLog losses = new SlowLog(
                LoggerFactory.getLogger(SlowLogTest.class),
                SlowLog.Kind.LOSS,
                "S \"risk\"",
                this::schedule,
                () -> nowMs);
        SlowLog.Source prices = new SlowLog.Source("publisher 3 \"feed\"", "topic \"prices\"");
        losses.begin(prices, 1000, "skip");
        losses.end(prices, false, 3000);
        losses.begin(prices, 500, "skip");
        losses.end(prices, false, 700);
        losses.begin(prices, 500, "skip");
        pass(SECOND_MS);
        losses.end(prices, true, 900);
        assertThat(logged())
                .containsExactly(
                        "WARN S \"risk\" is missing data from publisher 3 \"feed\" on topic \"prices\": 1000 bytes were"
                                + " skipped (slow-policy skip)",
                        "INFO S \"risk\" is no longer missing data from publisher 3 \"feed\" on topic \"prices\"; 3000"
                                + " bytes were skipped",
                        "WARN S \"risk\" missed data 2 more times: 1 loss ended, 700 bytes in total; 1 loss continues:"
                                + " publisher 3 \"feed\" on topic \"prices\"",
                        "INFO S \"risk\" stopped receiving topic \"prices\" while it was missing data from"
                                + " publisher 3 \"feed\"; 900 bytes were skipped");
    }

    @Test
    void shouldLogTheEndOfASubscriptionDuringADelay() {
        log.end(begin(), true, 500);
        assertThat(logged())
                .last()
                .isEqualTo(
                        "INFO S \"risk\" stopped receiving topic \"prices\" while it delayed publisher 3 \"feed\"; the"
                                + " delay lasted 0.5 s");
    }

    @Test
    void shouldNameTenOfManyDelaysThatBeginAtTheSameTimeAndCountTheOthers() {
        List<SlowLog.Source> delays = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            delays.add(begin("t" + i));
        }
        assertThat(logged()).hasSize(10);
        assertThat(logged().get(9)).contains("\"t9\"");
        pass(SECOND_MS);
        assertThat(logged()).hasSize(11);
        assertThat(logged().get(10))
                .isEqualTo("WARN S \"risk\" delayed publishers 990 more times: 1000 delays continue, including that of"
                        + " publisher 3 \"feed\" on topic \"t999\"");
        pass(10 * SECOND_MS);
        delays.forEach(this::end);
        assertThat(logged()).hasSize(22);
        assertThat(logged().get(21)).contains("no longer delays publisher 3 \"feed\" on topic \"t999\"");
        pass(60 * SECOND_MS);
        assertThat(logged()).hasSize(23);
        assertThat(logged().get(22))
                .isEqualTo("INFO S \"risk\" no longer delays any publisher; 989 delays ended, 98.9 s in total");
    }

    @Test
    void shouldLogTheEndOfDelaysThatWereCountedLongBefore() {
        SlowLog.Source first = begin();
        SlowLog.Source second = begin();
        SlowLog.Source third = begin();
        pass(HOUR_MS);
        assertThat(logged()).hasSize(2);
        end(first);
        end(second);
        pass(60 * SECOND_MS);
        assertThat(logged()).hasSize(4);
        assertThat(logged().get(3))
                .isEqualTo("INFO S \"risk\" delays fewer publishers: 1 delay ended, 0.1 s in total, 1 continues");
        end(third);
        assertThat(logged()).hasSize(5);
        assertThat(logged().get(4)).contains("no longer delays publisher 3");
    }

    @Test
    void shouldLogABoundedNumberOfLinesAboutASubscriberThatDelaysAPublisherAgainAndAgain() {
        oscillate(10 * HOUR_MS);
        assertThat(logged()).hasSizeLessThan(10 * 60 * 2 + 20);
        assertThat(intervals).startsWith(1000L, 2000L, 4000L, 8000L, 16_000L, 32_000L, 60_000L);
        assertThat(logged()).anyMatch(line -> line.matches(".* more times: 4\\d delays ended, \\d\\.\\d s in total"));
    }

    @Test
    void shouldNameAnotherTopicAtOnceWhileADelayBeginsAgainAndAgain() {
        oscillate(600 * SECOND_MS);
        int before = logged().size();
        begin("trades");
        assertThat(logged()).hasSize(before + 1);
        assertThat(logged().get(before)).contains("is delaying publisher 3 \"feed\" on topic \"trades\"");
    }

    @Test
    void shouldNameANewTopicAtOnceAlthoughMoreThanTenOthersHaveBeenNamedBefore() {
        oscillate(600 * SECOND_MS, 12);
        int namedCount = lines.with("is delaying").size();
        oscillate(300 * SECOND_MS, 12);
        assertThat(lines.with("is delaying")).hasSize(namedCount);
        int before = logged().size();
        SlowLog.Source trades = begin("trades");
        assertThat(logged()).hasSize(before + 1);
        assertThat(logged().get(before)).contains("is delaying publisher 3 \"feed\" on topic \"trades\"");
        end(trades);
        assertThat(logged().get(before + 1)).contains("no longer delays publisher 3 \"feed\" on topic \"trades\"");
    }

    @Test
    void shouldNameTenTopicsInEachIntervalAndTheNewestOfTheOthersAtItsEnd() {
        for (int i = 0; i < 10; i++) {
            end(begin("a" + i));
        }
        begin("a10");
        begin("a11");
        assertThat(logged()).hasSize(20);
        pass(SECOND_MS);
        assertThat(logged()).hasSize(21);
        assertThat(logged()).last().asString().endsWith("including that of publisher 3 \"feed\" on topic \"a11\"");
        for (int i = 0; i < 20; i++) {
            begin("b" + i);
        }
        assertThat(logged()).hasSize(31);
        assertThat(logged()).last().asString().contains("is delaying publisher 3 \"feed\" on topic \"b9\"");
    }

    @Test
    void shouldLogABoundedNumberOfLinesWhenEachDelayIsOnAnotherTopic() {
        oscillate(10 * HOUR_MS, 100_000);
        // Per interval: the beginnings and ends of ten delays, a summary, and the end of the delay that the summary
        // names.
        assertThat(logged()).hasSizeLessThan(10 * 60 * 22 + 200);
        assertThat(logged()).anyMatch(line -> line.matches(".* is delaying .* \"t2\\d{4}\".*"));
    }

    @Test
    void shouldNameADelayThatContinuesAtTheEndOfTheInterval() {
        oscillate(600 * SECOND_MS);
        begin();
        int before = logged().size();
        pass(60 * SECOND_MS);
        assertThat(logged()).hasSize(before + 1);
        assertThat(logged().get(before)).endsWith("; 1 delay continues: publisher 3 \"feed\" on topic \"prices\"");
    }

    @Test
    void shouldLogADelayAtOnceAfterAQuietMinute() {
        oscillate(600 * SECOND_MS);
        SlowLog.Source last = begin();
        pass(intervals.get(intervals.size() - 1));
        end(last);
        pass(61 * SECOND_MS);
        int before = logged().size();
        intervals.clear();
        begin();
        assertThat(logged()).hasSize(before + 1);
        assertThat(logged().get(before)).contains("is delaying publisher");
        assertThat(intervals).containsExactly(1000L);
        pass(60 * SECOND_MS);
        assertThat(logged()).hasSize(before + 1);
    }

    @Test
    void shouldLogADelayAtOnceAfterAQuietMinuteInWhichAnIntervalHasNotEnded() {
        oscillate(600 * SECOND_MS);
        // Ends with a summary of the delays that were counted right at the beginning of the interval.
        pass(intervals.get(intervals.size() - 1));
        begin();
        int before = logged().size();
        nowMs += 61 * SECOND_MS; // the timer is late
        begin("prices");
        assertThat(logged()).hasSizeGreaterThan(before);
        assertThat(logged().get(logged().size() - 1)).contains("is delaying publisher 3 \"feed\" on topic \"prices\"");
    }

    @Test
    void shouldLogWhatWasCountedWhenTheSubscriberLeaves() {
        SlowLog.Source first = begin();
        SlowLog.Source second = begin();
        log.end(first, true, 100);
        log.end(second, true, 100);
        log.close();
        assertThat(logged())
                .last()
                .isEqualTo("WARN S \"risk\" delayed publishers once more: 1 delay ended, 0.1 s in total");
        log.close();
        assertThat(logged()).hasSize(3);
    }

    @Test
    void shouldLoseNoDelayWhileTheBrokerCloses() {
        timerIsClosed = true;
        SlowLog.Source first = begin();
        SlowLog.Source second = begin();
        log.end(first, true, 100);
        log.end(second, true, 100);
        log.close();
        assertThat(logged()).hasSize(3);
    }
}
