package io.rocketbufs.rbmq.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Numbered lines that a thread writes to the standard input of a process. */
final class NumberedLines {
    private static final String FILLING = "x".repeat(1000);
    private static final Duration LIMIT = Duration.ofSeconds(150);

    private final AtomicInteger typed = new AtomicInteger();
    private final Thread typist;

    private NumberedLines(OutputStream to, int count) {
        typist = new Thread(() -> type(to, count), "typist");
        typist.setDaemon(true);
        typist.start();
    }

    /** Starts writing {@code count} lines, followed by the end of input. */
    static NumberedLines type(RbmqProcess process, int count) {
        return new NumberedLines(process.stdin(), count);
    }

    /** Returns the number of lines written. */
    int count() {
        return typed.get();
    }

    void awaitCount(int count) {
        await().atMost(LIMIT).until(() -> count() >= count);
    }

    /** Waits until the process has accepted no line for the given time; returns the number of lines written. */
    int awaitStandstill(Duration pause) {
        int[] last = {0};
        long[] sinceNs = {System.nanoTime()};
        await().atMost(LIMIT).until(() -> {
            int now = count();
            if (now != last[0]) {
                last[0] = now;
                sinceNs[0] = System.nanoTime();
            }
            return now > 0 && System.nanoTime() - sinceNs[0] > pause.toNanos();
        });
        return last[0];
    }

    /** Waits until all lines are written or the process has ended. */
    void join() throws InterruptedException {
        typist.join(LIMIT.toMillis());
        assertThat(typist.isAlive()).isFalse();
    }

    /** Returns the line with the given number, without its line terminator. */
    static String line(int number) {
        return number + FILLING;
    }

    /** Checks that a text consists of lines 0 to n - 1, complete and in order. Returns n. */
    static int checkFirst(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        assertThat(text).endsWith("\n");
        String[] lines = text.split("\n");
        for (int i = 0; i < lines.length; i++) {
            if (!lines[i].equals(line(i))) {
                assertThat(lines[i]).isEqualTo(line(i)); // always fails; AssertJ is too slow to check every line
            }
        }
        return lines.length;
    }

    private void type(OutputStream to, int count) {
        try (to) {
            for (int i = 0; i < count; i++) {
                to.write((line(i) + "\n").getBytes(StandardCharsets.UTF_8));
                to.flush();
                typed.incrementAndGet();
            }
        } catch (IOException e) {
            // The process has ended, as the test expects.
        }
    }
}
