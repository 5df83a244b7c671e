package io.rocketbufs.rbmq.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of a subscription's queue with several kinds of executors. */
@Tag("once")
final class ExecutorQueueTest {
    private static final int ITEM = 64 + 1;

    private final List<String> events = new ArrayList<>();
    /** The tasks that an executor has accepted. */
    private final Queue<Runnable> tasks = new ArrayDeque<>();

    private long lostLength;
    private MessageHandler handler = message -> events.add(message.text());

    private final class Owner implements ExecutorQueue.Owner {
        @Override
        public void onFull() {
            events.add("full");
        }

        @Override
        public void onSpace() {
            events.add("space");
        }

        @Override
        public void onFailure(String topic, int publisher, Throwable failure) {
            events.add(topic + " " + publisher + " failed: " + failure.getMessage());
        }

        @Override
        public void onFatal(Throwable failure) {
            events.add("fatal: " + failure.getMessage());
        }

        @Override
        public void onLost(long length) {
            lostLength += length;
        }

        @Override
        public void onRejected() {
            events.add("rejected");
        }
    }

    @Test
    void shouldHandleMessagesAndGapsInOrderWithOneTask() {
        ExecutorQueue queue = queue(tasks::add, 100 * ITEM);
        add(queue, "a");
        queue.onGap(new Gap("t", 7, 10, Gap.Reason.SKIPPED));
        add(queue, "b");
        queue.end(() -> events.add("end"));
        assertThat(tasks).hasSize(1);
        assertThat(events).isEmpty();
        runAll();
        assertThat(events).containsExactly("a", "gap 10", "b", "end");
    }

    @Test
    void shouldReportWhenItIsFullAndWhenThereIsSpaceAgain() {
        ExecutorQueue queue = queue(tasks::add, 2 * ITEM);
        add(queue, "a");
        add(queue, "b");
        assertThat(events).containsExactly("full");
        runAll();
        assertThat(events).containsExactly("full", "a", "space", "b");
    }

    @Test
    void shouldAcceptAMessageThatIsLongerThanItsCapacity() {
        ExecutorQueue queue = queue(tasks::add, 1);
        add(queue, "long");
        runAll();
        assertThat(events).containsExactly("full", "long", "space");
    }

    @Test
    void shouldContinueWhenTheExecutorRunsEveryTaskInTheCaller() {
        ExecutorQueue queue = queue(Runnable::run, 1);
        add(queue, "a");
        add(queue, "b");
        assertThat(events).containsExactly("full", "a", "space", "full", "b", "space");
    }

    /** An executor may first accept a task, and later, when it is saturated, run the next one in the caller. */
    @Test
    void shouldNotUseMoreOfTheStackForEachTurnInTheCaller() {
        boolean[] isSaturated = new boolean[1];
        List<Long> depths = new ArrayList<>();
        handler = message -> {
            depths.add(StackWalker.getInstance().walk(frames -> frames.count()));
            passATurn();
        };
        ExecutorQueue queue = queue(
                task -> {
                    if (isSaturated[0]) {
                        task.run();
                    } else {
                        tasks.add(task);
                    }
                },
                1000 * ITEM);
        for (int i = 0; i < 50; i++) {
            add(queue, "a");
        }
        isSaturated[0] = true;
        runAll();
        assertThat(depths).hasSize(50);
        // The executor makes the first call, and the loop in the first task makes the others.
        assertThat(depths.subList(1, 50)).containsOnly(depths.get(1));
    }

    @Test
    void shouldPassItselfToTheExecutorAgainAfterATurn() {
        handler = message -> {
            events.add(message.text());
            passATurn();
        };
        ExecutorQueue queue = queue(tasks::add, 100 * ITEM);
        add(queue, "a");
        add(queue, "b");
        tasks.remove().run();
        assertThat(events).containsExactly("a");
        assertThat(tasks).hasSize(1);
        tasks.remove().run();
        assertThat(events).containsExactly("a", "b");
        assertThat(tasks).isEmpty();
    }

    @Test
    void shouldReportWhatTheHandlersThrowAndContinue() {
        handler = message -> {
            if (message.text().equals("a")) {
                throw new IllegalStateException("a mistake");
            }
            throw new OutOfMemoryError("no memory");
        };
        ExecutorQueue queue = queue(tasks::add, 100 * ITEM);
        add(queue, "a");
        add(queue, "b");
        queue.onGap(new Gap("t", 7, -1, Gap.Reason.SKIPPED));
        queue.end(() -> events.add("end"));
        runAll();
        assertThat(events)
                .containsExactly(
                        "t 7 failed: a mistake", "fatal: no memory", "fatal: a mistake in the gap handler", "end");
    }

    @Test
    void shouldLoseAndCountTheMessagesWhenTheExecutorRejects() {
        RejectedExecutionException rejection = new RejectedExecutionException("it is shut down");
        ExecutorQueue queue = queue(
                task -> {
                    throw rejection;
                },
                100 * ITEM);
        add(queue, "a");
        add(queue, "b");
        assertThat(events).containsExactly("rejected");
        assertThat(queue.rejection()).isSameAs(rejection);
        assertThat(queue.lostCount()).isEqualTo(2);
        assertThat(lostLength).isEqualTo(10);
        queue.end(() -> events.add("end"));
        assertThat(events).containsExactly("rejected", "end");
    }

    @Test
    void shouldLoseTheRestWhenTheExecutorRejectsAfterATurn() {
        handler = message -> {
            events.add(message.text());
            passATurn();
        };
        boolean[] isFull = new boolean[1];
        ExecutorQueue queue = queue(
                task -> {
                    if (isFull[0]) {
                        throw new IllegalStateException("a broken executor");
                    }
                    tasks.add(task);
                },
                100 * ITEM);
        add(queue, "a");
        add(queue, "b");
        add(queue, "c");
        isFull[0] = true;
        runAll();
        assertThat(events).containsExactly("a", "rejected");
        assertThat(queue.rejection()).hasMessage("the executor failed").hasRootCauseMessage("a broken executor");
        assertThat(queue.lostCount()).isEqualTo(2);
    }

    @Test
    void shouldNotReportARejectionThatLosesNothing() {
        ExecutorQueue queue = queue(
                task -> {
                    throw new RejectedExecutionException();
                },
                100 * ITEM);
        queue.end(() -> events.add("end"));
        ExecutorQueue discarding = queue(
                task -> {
                    throw new RejectedExecutionException();
                },
                100 * ITEM);
        discarding.discard();
        add(discarding, "a");
        discarding.end(() -> events.add("end"));
        assertThat(events).containsExactly("end", "end");
        assertThat(queue.rejection()).isNull();
        assertThat(discarding.rejection()).isNull();
        assertThat(discarding.lostCount()).isZero();
    }

    @Test
    void shouldDiscardTheMessagesThatWaitButNotTheEnd() {
        ExecutorQueue queue = queue(tasks::add, 100 * ITEM);
        add(queue, "a");
        queue.discard();
        add(queue, "b");
        queue.end(() -> events.add("end"));
        runAll();
        assertThat(events).containsExactly("end");
    }

    @Test
    void shouldCountTheHeadersTowardsItsCapacity() {
        ExecutorQueue queue = queue(tasks::add, 1000);
        queue.onMessage(new Message(new ReceivedMessage("t", 7, new byte[1000], 1000)));
        assertThat(events).containsExactly("full");
    }

    /** A pool that is stopped with shutdownNow() neither runs nor rejects the tasks that it has accepted. */
    @Test
    void shouldEndWhenTheExecutorHasDroppedTheTask() {
        ExecutorQueue queue = queue(task -> {}, 100 * ITEM);
        add(queue, "a");
        queue.discard();
        queue.end(() -> events.add("end"));
        assertThat(events).containsExactly("end");
        assertThat(lostLength).isZero();
    }

    @Test
    void shouldEndWhenTheExecutorHasDroppedTheTaskBeforeTheEnd() {
        ExecutorQueue queue = queue(task -> {}, 100 * ITEM);
        add(queue, "a");
        queue.end(() -> events.add("end"));
        assertThat(events).isEmpty();
        queue.discard();
        assertThat(events).containsExactly("end");
    }

    @Test
    void shouldEndWhenTheExecutorDropsATaskThatWasAddedDuringTheDiscard() {
        ExecutorQueue queue = queue(task -> {}, 100 * ITEM);
        queue.discard();
        add(queue, "a");
        queue.end(() -> events.add("end"));
        assertThat(events).containsExactly("end");
    }

    @Test
    void shouldRunTheEndOnTheExecutorWhenNothingWaits() {
        ExecutorQueue queue = queue(tasks::add, 100 * ITEM);
        add(queue, "a");
        runAll();
        queue.discard();
        queue.end(() -> events.add("end"));
        assertThat(events).containsExactly("a");
        runAll();
        assertThat(events).containsExactly("a", "end");
    }

    @Test
    void shouldDiscardTheRestInTheTurnThatIsInProgress() {
        ExecutorQueue[] queue = new ExecutorQueue[1];
        handler = message -> {
            events.add(message.text());
            queue[0].discard();
            passATurn();
        };
        queue[0] = queue(tasks::add, 100 * ITEM);
        add(queue[0], "a");
        add(queue[0], "b");
        queue[0].end(() -> events.add("end"));
        tasks.remove().run();
        assertThat(events).containsExactly("a", "end");
        assertThat(tasks).isEmpty();
    }

    @Test
    void shouldIgnoreATaskThatRunsTwiceOrAfterItsRejection() {
        ExecutorQueue queue = queue(
                task -> {
                    tasks.add(task);
                    tasks.add(task);
                },
                100 * ITEM);
        add(queue, "a");
        runAll();
        ExecutorQueue rejected = queue(
                task -> {
                    tasks.add(task);
                    throw new RejectedExecutionException();
                },
                100 * ITEM);
        add(rejected, "b");
        runAll();
        assertThat(events).containsExactly("a", "rejected");
    }

    @Test
    void shouldNotReportARejectionOfMessagesThatAreDiscarded() {
        ExecutorQueue queue = queue(
                task -> {
                    throw new RejectedExecutionException();
                },
                100 * ITEM);
        add(queue, "a");
        assertThat(queue.rejection()).isNotNull();
        queue.discard();
        assertThat(queue.rejection()).isNull();
    }

    private ExecutorQueue queue(Executor executor, long capacity) {
        return new ExecutorQueue(
                executor,
                capacity,
                message -> handler.onMessage(message),
                gap -> {
                    if (!gap.isKnown()) {
                        throw new IllegalStateException("a mistake in the gap handler");
                    }
                    events.add("gap " + gap.lostLength());
                },
                new Owner());
    }

    private static void add(ExecutorQueue queue, String text) {
        queue.onMessage(new Message(new ReceivedMessage("t", 7, text.getBytes(UTF_8), 0)));
    }

    private void runAll() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
    }

    /** Runs for longer than a time slice. */
    private static void passATurn() {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < 1_500_000) {
            Thread.onSpinWait();
        }
    }
}
