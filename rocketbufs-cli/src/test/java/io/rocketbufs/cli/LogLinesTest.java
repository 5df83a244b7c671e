package io.rocketbufs.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
final class LogLinesTest {
    private static final int CAPACITY = 10;
    private static final long LONG_MS = 30_000;

    private final List<String> written = new ArrayList<>();
    private final CountDownLatch blocked = new CountDownLatch(1);
    private final Semaphore permits = new Semaphore(0);
    private final LogLines lines = new LogLines(this::write, CAPACITY, count -> count + " dropped\n");

    private void write(String text) {
        blocked.countDown();
        permits.acquireUninterruptibly();
        written.add(text);
    }

    @AfterEach
    void unblock() {
        permits.release(Integer.MAX_VALUE / 2);
    }

    /** Adds a line that blocks the writing thread, followed by {@code count} lines that must wait. */
    private void addBehindABlockedOutput(int count) throws InterruptedException {
        lines.add("first\n");
        blocked.await();
        IntStream.range(0, count).forEach(i -> lines.add(i + "\n"));
    }

    @Test
    void shouldWriteAllInOrderWhenThereIsRoom() throws Exception {
        addBehindABlockedOutput(CAPACITY);
        unblock();
        assertThat(lines.flush(LONG_MS)).isTrue();
        assertThat(written).containsExactly("first\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    }

    @Test
    void shouldDropAndCountLinesWhenTheOutputBlocks() throws Exception {
        addBehindABlockedOutput(CAPACITY + 3);
        unblock();
        assertThat(lines.flush(LONG_MS)).isTrue();
        assertThat(written.get(1)).endsWith("9\n3 dropped\n");
        lines.add("after\n");
        assertThat(lines.flush(LONG_MS)).isTrue();
        assertThat(written).last().isEqualTo("after\n");
    }

    @Test
    void shouldTimeOutWhenTheOutputBlocks() throws Exception {
        addBehindABlockedOutput(1);
        assertThat(lines.flush(1)).isFalse();
    }

    @Test
    void shouldNotWaitBeforeTheFirstLine() {
        assertThat(lines.flush(LONG_MS)).isTrue();
    }
}
