package io.rocketbufs.rbmq.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WindowTest {
    private final Counter counter = new Counter();
    private final Window window = new Window(counter);

    @Test
    void shouldExcludeMessagesBeforeAndAfterTheWindow() {
        add(1000);
        long before = System.nanoTime();
        window.begin();
        long begin = System.nanoTime();
        add(10);
        long end = System.nanoTime();
        window.end();
        double longest = (System.nanoTime() - before) / 1e9;
        add(1000);
        assertThat(window.perSecond()).isBetween(10 / longest, 10 / ((end - begin) / 1e9));
    }

    @Test
    void shouldBeZeroWhenItNeverBegan() {
        window.end();
        assertThat(window.perSecond()).isZero();
    }

    private void add(int count) {
        for (int i = 0; i < count; i++) {
            counter.increment();
        }
    }
}
