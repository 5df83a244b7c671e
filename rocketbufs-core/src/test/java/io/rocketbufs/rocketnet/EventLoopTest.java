package io.rocketbufs.rocketnet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class EventLoopTest {
    /** A loop whose event handling fails when the test requests it. */
    private static class Failing extends EventLoop {
        final AtomicInteger polls = new AtomicInteger();
        final AtomicInteger questions = new AtomicInteger();
        final AtomicInteger waits = new AtomicInteger();
        private final Semaphore interrupts = new Semaphore(0);

        Failing() {
            super("failing", 0);
        }

        @Override
        protected boolean poll() {
            failFirst(polls);
            return false;
        }

        @Override
        protected boolean hasEvents() {
            failFirst(questions);
            return false;
        }

        @Override
        protected void await(long timeoutMs) {
            failFirst(waits);
            try {
                interrupts.tryAcquire(timeoutMs, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static void failFirst(AtomicInteger count) {
            if (count.getAndIncrement() == 0) {
                throw new IllegalStateException("thrown by the test");
            }
        }

        @Override
        protected void interrupt() {
            interrupts.release();
        }

        @Override
        protected void end() {}
    }

    @Test
    void shouldSurviveEventsThatFail() throws Exception {
        Failing loop = new Failing();
        loop.start();
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Void> ran = new CompletableFuture<>();
            assertThat(loop.tryExecute(() -> ran.complete(null))).isTrue();
            ran.get();
            loop.wakeUp();
        }
        CompletableFuture<Void> timer = new CompletableFuture<>();
        loop.schedule(() -> timer.complete(null), 1);
        timer.get();
        loop.shutDown().get();
        assertThat(loop.polls).hasPositiveValue();
        assertThat(loop.questions).hasPositiveValue();
        assertThat(loop.waits).hasPositiveValue();
    }
}
