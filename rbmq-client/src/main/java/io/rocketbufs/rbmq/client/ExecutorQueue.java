package io.rocketbufs.rbmq.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Copies of one subscription's messages, and its gaps, queued in order for the application's executor. A task handles
 * these items in order; there is at most one task at a time.
 *
 * <pre>
 *              an item arrives
 *   IDLE --------------------------&gt; SCHEDULED ---the executor rejects the task, or----&gt; ABANDONED
 *     ^                              |       ^     discard() comes before it runs
 *     |            the executor runs |       | the time slice is over
 *     |                              v       |
 *     +------all items are handled--- RUNNING
 * </pre>
 *
 * In SCHEDULED and RUNNING, the counter of unfinished items is positive. ABANDONED is final: the executor is no longer
 * used, and the items are lost or discarded. If an executor silently drops a task, the application can therefore still
 * close the subscription. In every state, {@link #discard()} stops the queue from calling handlers.
 *
 * <p>The worker must respect the capacity: it must stop adding messages when {@link Owner#onFull} is called.
 *
 * <p><b>Thread-safety:</b> the connection's worker adds items; any thread may run the tasks, one at a time.
 */
final class ExecutorQueue implements MessageHandler, GapHandler {
    /**
     * Time slice of a task. After this time, the task yields the executor's thread, even if items are still waiting.
     */
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Approximate memory of an item's objects in bytes. It is counted so that empty messages cannot exhaust memory. */
    private static final int ITEM_LENGTH = 64;

    private final Executor executor;
    private final long capacity;
    private final MessageHandler handler;
    private final GapHandler gapHandler;
    private final Owner owner;
    private final Queue<Item> items = new ConcurrentLinkedQueue<>();
    /**
     * Number of items that have been added and are not finished. While it is positive, a task is scheduled or running.
     */
    private final AtomicInteger unfinishedCount = new AtomicInteger();
    /** Total length of the waiting items, in bytes. */
    private final AtomicLong length = new AtomicLong();

    private final AtomicLong lostCount = new AtomicLong();
    /** The task that the executor has not started; null in IDLE, RUNNING and ABANDONED. */
    private final AtomicReference<Turn> waiting = new AtomicReference<>();

    private volatile boolean discarding;
    private volatile boolean abandoned;
    private volatile RejectedExecutionException rejection;

    /** The subscription to which the queue belongs. The methods are called on any thread. */
    interface Owner {
        /** Called when messages must no longer be added. */
        void onFull();

        /** Called when messages may be added again. */
        void onSpace();

        /** Called when the handler threw. */
        void onFailure(String topic, int publisher, Throwable failure);

        /** Called when the gap handler threw, or the handler threw an error of the virtual machine. */
        void onFatal(Throwable failure);

        /**
         * Called for each message that is lost because the executor has rejected the task, with the message's length in
         * a buffer.
         */
        void onLost(long length);

        /** Called once after the executor has rejected the task and {@link ExecutorQueue#rejection()} is set. */
        void onRejected();
    }

    /** An item in the queue. */
    private sealed interface Item {
        /** Returns the number of bytes by which this item counts towards the capacity. */
        default int length() {
            return ITEM_LENGTH;
        }
    }

    private record Waiting(ReceivedMessage message) implements Item {
        @Override
        public int length() {
            return ITEM_LENGTH + message.copiedLength();
        }
    }

    private record Missed(Gap gap) implements Item {}

    private record End(Runnable onEnd) implements Item {}

    /** A task for the executor. */
    private final class Turn implements Runnable {
        /** The thread that is passing this task to the executor; null once the executor has returned. */
        private volatile Thread caller = Thread.currentThread();
        /**
         * True if the executor ran this task in the caller; the caller then continues when the executor has returned.
         */
        private boolean isInCaller;

        @Override
        public void run() {
            if (!waiting.compareAndSet(this, null)) {
                return; // abandoned, or already run
            }
            if (caller == Thread.currentThread()) {
                isInCaller = true;
            } else if (handleSome()) {
                schedule();
            }
        }
    }

    /**
     * Creates an empty queue.
     *
     * @param capacity number of message bytes waiting at which the owner must stop adding messages
     */
    ExecutorQueue(Executor executor, long capacity, MessageHandler handler, GapHandler gapHandler, Owner owner) {
        this.executor = executor;
        this.capacity = capacity;
        this.handler = handler;
        this.gapHandler = gapHandler;
        this.owner = owner;
    }

    // On the worker.

    @Override
    public void onMessage(Message message) {
        add(new Waiting(message.copy()));
    }

    @Override
    public void onGap(Gap gap) {
        add(new Missed(gap));
    }

    /** Runs a task when all earlier items have been handled or discarded. No item may be added after this call. */
    void end(Runnable onEnd) {
        add(new End(onEnd));
    }

    private void add(Item item) {
        items.add(item);
        if (length.addAndGet(item.length()) >= capacity) {
            owner.onFull();
            if (length.get() < capacity) { // the executor was faster than this call
                owner.onSpace();
            }
        }
        if (unfinishedCount.getAndIncrement() == 0) {
            schedule();
        } else if (abandoned) {
            lose();
        }
    }

    // On any thread.

    /**
     * Discards the waiting messages and all later ones. A call of the handler that is in progress or about to start is
     * the last one. Does not wait for the executor: if it has not started the task, the task is no longer needed.
     * Idempotent.
     */
    void discard() {
        discarding = true;
        Turn turn = waiting.get();
        if (turn != null && waiting.compareAndSet(turn, null)) {
            abandon();
        }
    }

    /**
     * Returns the exception with which the executor has rejected the task, causing a loss of messages or gaps; null if
     * nothing was lost, or only discarded items.
     */
    RejectedExecutionException rejection() {
        return discarding ? null : rejection;
    }

    /** Returns the number of messages that were lost because the executor has rejected the task. */
    long lostCount() {
        return lostCount.get();
    }

    /**
     * Passes a task to the executor. If the executor runs it in the caller, this loop continues it without recursion.
     */
    private void schedule() {
        Turn turn;
        do {
            turn = new Turn();
            waiting.set(turn);
            try {
                executor.execute(turn);
            } catch (RuntimeException | Error e) {
                // Some executors throw an exception even though they have run the task or will run it.
                if (turn.isInCaller || waiting.compareAndSet(turn, null)) {
                    reject(e);
                }
                return;
            }
            turn.caller = null;
            // discard() may have run just before the task started to wait. An End at the head of the queue is left to
            // the executor.
            if (discarding && !(items.peek() instanceof End) && waiting.compareAndSet(turn, null)) {
                abandon();
                return;
            }
        } while (turn.isInCaller && handleSome());
    }

    /** Handles items until none are waiting or the time slice is over; returns true if items are still waiting. */
    private boolean handleSome() {
        long startNs = System.nanoTime();
        do {
            Item item = items.remove();
            handle(item);
            long before = length.getAndAdd(-item.length());
            if (before >= capacity && before - item.length() < capacity) {
                owner.onSpace();
            }
            if (unfinishedCount.decrementAndGet() == 0) {
                return false;
            }
        } while (discarding || System.nanoTime() - startNs < TURN_NS);
        return true;
    }

    private void handle(Item item) {
        if (item instanceof End end) {
            end.onEnd.run();
        } else if (!discarding) {
            try {
                pass(item);
            } catch (Throwable e) { // otherwise, the executor's thread and the remaining items would be lost
                if (item instanceof Waiting failed && !(e instanceof VirtualMachineError)) {
                    owner.onFailure(failed.message.topic(), failed.message.publisher(), e);
                } else {
                    owner.onFatal(e);
                }
            }
        }
    }

    private void pass(Item item) {
        if (item instanceof Waiting next) {
            handler.onMessage(new Message(next.message));
        } else if (item instanceof Missed missed) {
            gapHandler.onGap(missed.gap);
        }
    }

    /** Called once when the executor has rejected the task. */
    private void reject(Throwable cause) {
        boolean isLoss = !discarding && items.stream().anyMatch(item -> !(item instanceof End));
        if (isLoss) {
            rejection = cause instanceof RejectedExecutionException known
                    ? known
                    : new RejectedExecutionException("the executor failed", cause);
        }
        abandon();
        if (isLoss) {
            owner.onRejected();
        }
    }

    /** Called by the only thread that holds the task; this thread does not run the task. */
    private void abandon() {
        abandoned = true;
        lose();
    }

    /** Removes all items. Two threads may do so concurrently. Losses are counted before End items run. */
    private void lose() {
        List<End> ends = new ArrayList<>();
        synchronized (items) {
            for (Item item = items.poll(); item != null; item = items.poll()) {
                if (item instanceof End end) {
                    ends.add(end);
                } else if (item instanceof Waiting lost && rejection() != null) {
                    lostCount.incrementAndGet();
                    owner.onLost(lost.message.frameLength());
                }
            }
        }
        ends.forEach(end -> end.onEnd.run()); // without the lock, because it runs the application's code
    }
}
