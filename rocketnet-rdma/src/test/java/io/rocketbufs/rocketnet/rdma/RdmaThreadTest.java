package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of tasks and timers on a thread that sleeps while it has no work. */
@Timeout(600)
final class RdmaThreadTest {
    private static final int THREADS = 4;
    private static final long LIMIT_S = 60;

    private RdmaMonitor monitor;
    private RdmaThread thread;

    private RdmaThread start(String kind) {
        monitor = new RdmaMonitor("test-monitor", kind.equals("spinning") ? 20_000 : 0);
        thread = kind.equals("worker") ? new RdmaWorker("test-worker", monitor) : monitor;
        thread.start();
        return thread;
    }

    @AfterEach
    void end() throws Exception {
        if (thread != null) {
            thread.shutDown().get(LIMIT_S, TimeUnit.SECONDS);
        }
    }

    private void run(Runnable task) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        thread.execute(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (RuntimeException | Error e) {
                done.completeExceptionally(e);
            }
        });
        done.get(LIMIT_S, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor", "spinning"})
    void shouldRunTasksInOrderOnItsThread(String kind) throws Exception {
        start(kind);
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            int number = i;
            thread.execute(() -> {
                assertThat(thread.inWorker()).isTrue();
                ran.add(number);
            });
        }
        run(() -> assertThat(ran).hasSize(10_000).isSorted());
        assertThat(thread.inWorker()).isFalse();
    }

    /** The thread sleeps for up to a minute at a time, so the test detects a lost wake-up. */
    @ParameterizedTest
    @CsvSource({"worker, 100000", "monitor, 100000", "spinning, 100000"})
    void shouldWakeUpForEveryTaskOfManyThreads(String kind, int count) throws Exception {
        start(kind);
        AtomicInteger ran = new AtomicInteger();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            // Half of the callers wait for each task, so the worker falls asleep; the others wait only for every tenth
            // task.
            int waitEvery = i % 2 == 0 ? 1 : 10;
            threads.add(CompletableFuture.runAsync(() -> submit(count / THREADS, waitEvery, ran)));
        }
        CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(LIMIT_S * 2, TimeUnit.SECONDS);
        run(() -> assertThat(ran).hasValue(count));
    }

    private void submit(int count, int waitEvery, AtomicInteger ran) {
        Thread submitter = Thread.currentThread();
        AtomicInteger mine = new AtomicInteger();
        for (int i = 1; i <= count; i++) {
            thread.execute(() -> {
                ran.incrementAndGet();
                mine.incrementAndGet();
                LockSupport.unpark(submitter);
            });
            while (i % waitEvery == 0 && mine.get() < i) {
                LockSupport.park(this);
            }
        }
        while (mine.get() < count) {
            LockSupport.park(this);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor", "spinning"})
    void shouldContinueAfterATaskOrATimerThrows(String kind) throws Exception {
        start(kind);
        thread.execute(() -> {
            throw new IllegalStateException("a task that fails");
        });
        thread.schedule(
                () -> {
                    throw new AssertionError("a timer that fails");
                },
                1);
        CountDownLatch ran = new CountDownLatch(1);
        thread.schedule(ran::countDown, 5);
        assertThat(ran.await(LIMIT_S, TimeUnit.SECONDS)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldContinueAfterAnEventHandlerThrows(String kind) throws Exception {
        start(kind);
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        CompletableFuture<Void> handedOver = new CompletableFuture<>();
        monitor.execute(() -> {
            for (int i = 0; i < 10; i++) {
                int number = i;
                thread.inOrder(() -> {
                    ran.add(number);
                    if (number % 3 == 0) {
                        throw new IllegalStateException("task " + number + " fails");
                    }
                });
            }
            handedOver.complete(null);
        });
        if (thread != monitor) {
            monitor.start();
        }
        handedOver.get(LIMIT_S, TimeUnit.SECONDS);
        RdmaRecordingHandler.await().until(() -> ran.size() == 10);
        run(() -> assertThat(ran).isSorted().doesNotHaveDuplicates());
        assertThat(thread.hasEvents()).isFalse();
        monitor.shutDown().get(LIMIT_S, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor", "spinning"})
    void shouldRunDueTimersInOrder(String kind) throws Exception {
        start(kind);
        RdmaRecordingHandler.await().until(this::runTimers);
    }

    /** Returns false if scheduling the timers took so long that they may have become due in a different order. */
    private boolean runTimers() throws Exception {
        List<Integer> ran = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch all = new CountDownLatch(4);
        long begin = System.nanoTime();
        for (int delay : new int[] {60, 20, 40, 0}) {
            thread.schedule(
                    () -> {
                        assertThat(System.nanoTime() - begin)
                                .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(delay));
                        ran.add(delay);
                        all.countDown();
                    },
                    delay);
        }
        boolean isInTime = System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(20);
        assertThat(all.await(LIMIT_S, TimeUnit.SECONDS)).isTrue();
        assertThat(ran).hasSize(4);
        if (isInTime) {
            assertThat(ran).containsExactly(0, 20, 40, 60);
        }
        return isInTime;
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldRunTimersThatScheduleEachOtherWithoutDelay(String kind) throws Exception {
        start(kind);
        AtomicInteger runs = new AtomicInteger();
        run(() -> thread.schedule(() -> again(runs), 0));
        CountDownLatch ran = new CountDownLatch(1);
        thread.execute(ran::countDown);
        assertThat(ran.await(LIMIT_S, TimeUnit.SECONDS)).isTrue();
        RdmaRecordingHandler.await().until(() -> runs.get() == 1_000);
    }

    private void again(AtomicInteger runs) {
        if (runs.incrementAndGet() < 1_000) {
            thread.schedule(() -> again(runs), 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldNotRunACancelledTimer(String kind) throws Exception {
        start(kind);
        AtomicInteger runs = new AtomicInteger();
        CompletableFuture<Future<?>> scheduledInside = new CompletableFuture<>();
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        // Runs on the thread itself, so no timer runs before all timers have been cancelled, regardless of how long
        // that takes.
        thread.execute(() -> {
            scheduledInside.complete(thread.schedule(runs::incrementAndGet, 10));
            cancelled.join();
        });
        Future<?> inside = scheduledInside.get(LIMIT_S, TimeUnit.SECONDS);
        Future<?> timer = thread.schedule(runs::incrementAndGet, 10);
        assertThat(timer.cancel(false)).isTrue();
        assertThat(timer.cancel(false)).isFalse();
        assertThat(inside.cancel(true)).isTrue();
        assertThat(timer.isDone() && timer.isCancelled()).isTrue();
        cancelled.complete(null);
        assertThatThrownBy(timer::get).isInstanceOf(CancellationException.class);

        CountDownLatch later = new CountDownLatch(1);
        Future<?> last = thread.schedule(later::countDown, 20);
        assertThat(later.await(LIMIT_S, TimeUnit.SECONDS)).isTrue();
        last.get(LIMIT_S, TimeUnit.SECONDS);
        assertThat(last.cancel(false)).isFalse();
        assertThat(runs).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldReleaseCancelledTimers(String kind) throws Exception {
        start(kind);
        List<Future<?>> timers = new ArrayList<>();
        WeakReference<Object> held = scheduleAndForget(timers);
        for (int i = 0; i < 2_000; i++) {
            timers.add(thread.schedule(() -> {}, TimeUnit.DAYS.toMillis(1)));
        }
        timers.forEach(timer -> timer.cancel(false));
        WeakReference<Future<?>> oneTimer = new WeakReference<>(timers.get(1_000));
        timers.clear();
        run(() -> {});
        RdmaRecordingHandler.await().until(() -> {
            System.gc();
            return held.get() == null && oneTimer.get() == null;
        });
    }

    private WeakReference<Object> scheduleAndForget(List<Future<?>> timers) {
        Object large = new byte[1 << 20];
        timers.add(thread.schedule(large::hashCode, TimeUnit.DAYS.toMillis(1)));
        return new WeakReference<>(large);
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldRunQueuedTasksBeforeItEndsAndDropLaterOnes(String kind) throws Exception {
        start(kind);
        CountDownLatch blocked = new CountDownLatch(1);
        AtomicInteger before = new AtomicInteger();
        AtomicInteger after = new AtomicInteger();
        thread.execute(() -> awaitQuietly(blocked));
        for (int i = 0; i < 1_000; i++) {
            thread.execute(before::incrementAndGet);
        }
        CompletableFuture<Void> ended = thread.shutDown();
        blocked.countDown();
        ended.get(LIMIT_S, TimeUnit.SECONDS);
        assertThat(before).hasValue(1_000);

        thread.execute(after::incrementAndGet);
        assertThat(thread.tryExecute(after::incrementAndGet)).isFalse();
        assertThat(thread.shutDown()).isCompleted();
        thread.thread().join(TimeUnit.SECONDS.toMillis(LIMIT_S));
        assertThat(thread.thread().isAlive()).isFalse();
        assertThat(after).hasValue(0);
    }

    /** Callers wait for tasks that the thread has accepted, so each of these tasks must run. */
    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldRunEveryAcceptedTaskBeforeItEnds(String kind) throws Exception {
        for (int round = 0; round < 200; round++) {
            start(kind);
            AtomicInteger taken = new AtomicInteger();
            AtomicInteger ran = new AtomicInteger();
            CompletableFuture<Void> submitter = CompletableFuture.runAsync(() -> {
                while (thread.tryExecute(ran::incrementAndGet)) {
                    taken.incrementAndGet();
                }
            });
            thread.shutDown().get(LIMIT_S, TimeUnit.SECONDS);
            submitter.get(LIMIT_S, TimeUnit.SECONDS);
            assertThat(ran.get()).as("round " + round).isEqualTo(taken.get());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldEndEvenIfItWasNeverStarted(String kind) {
        monitor = new RdmaMonitor("test-monitor", 0);
        thread = kind.equals("worker") ? new RdmaWorker("test-worker", monitor) : monitor;
        assertThat(thread.shutDown()).isCompleted();
    }

    @Test
    void shouldSleepEvenIfACallbackLeftTheThreadInterrupted() throws Exception {
        start("worker");
        run(() -> Thread.currentThread().interrupt());
        RdmaRecordingHandler.await().until(() -> thread.thread().getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void shouldBlockTheMonitorInsteadOfOverwritingUnhandledEntries() throws Exception {
        start("worker");
        CountDownLatch busy = new CountDownLatch(1);
        List<Integer> ran = new ArrayList<>();
        thread.execute(() -> awaitQuietly(busy));
        CompletableFuture<Void> monitoring = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 20_000; i++) {
                int number = i;
                thread.inOrder(() -> ran.add(number));
            }
        });
        RdmaRecordingHandler.await().until(() -> !thread.hasRoom());
        busy.countDown();
        monitoring.get(LIMIT_S, TimeUnit.SECONDS);
        RdmaRecordingHandler.await().until(() -> !thread.hasEvents());
        run(() -> assertThat(ran).hasSize(20_000).isSorted());
    }

    @ParameterizedTest
    @ValueSource(strings = {"worker", "monitor"})
    void shouldCancelRemainingTimersWhenItEnds(String kind) throws Exception {
        start(kind);
        Future<?> timer = thread.schedule(() -> {}, TimeUnit.DAYS.toMillis(1));
        thread.shutDown().get(LIMIT_S, TimeUnit.SECONDS);
        assertThat(timer.isCancelled()).isTrue();
        assertThat(thread.schedule(() -> {}, 1).isCancelled()).isTrue();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
