package io.rocketbufs.rocketnet.rdma;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A worker that runs in addition to the monitor. The monitor passes completions to it through a ring of preallocated
 * entries.
 *
 * <p><b>Source:</b> RocketBufs 3.5 and {@code rdma_num_threads} of 3.6.
 */
final class RdmaWorker extends RdmaThread {
    private static final int SIZE = 1 << 13;
    private static final int BATCH = 256;
    private static final long WAIT_NS = 50_000;

    private final CompletionTarget[] targets = new CompletionTarget[SIZE];
    private final Runnable[] tasks = new Runnable[SIZE];
    private final long[] numbers = new long[SIZE * 4];
    private final AtomicLong head = new AtomicLong();
    private final AtomicLong tail = new AtomicLong();
    private final RdmaMonitor monitor;

    RdmaWorker(String name, RdmaMonitor monitor) {
        super(name, 0);
        this.monitor = monitor;
    }

    // Called by the monitor.

    @Override
    public boolean hasRoom() {
        return tail.get() - head.get() < SIZE - 2 * RdmaCompletionQueue.BATCH;
    }

    @Override
    public void completion(CompletionTarget target, long context, long flags, long length, long data) {
        int slot = freeSlot();
        targets[slot] = target;
        numbers[slot * 4] = context;
        numbers[slot * 4 + 1] = flags;
        numbers[slot * 4 + 2] = length;
        numbers[slot * 4 + 3] = data;
        added();
    }

    @Override
    public void inOrder(Runnable task) {
        tasks[freeSlot()] = task;
        added();
    }

    /**
     * Returns a free slot; waits for one if necessary. A caller that has checked for room does not wait, and all other
     * calls are rare.
     */
    private int freeSlot() {
        while (tail.get() - head.get() == SIZE && thread().isAlive()) {
            LockSupport.parkNanos(WAIT_NS);
        }
        return (int) tail.get() & SIZE - 1;
    }

    private void added() {
        tail.set(tail.get() + 1);
        wakeUp();
    }

    // Called on the thread.

    @Override
    protected boolean poll() {
        long first = head.get();
        long last = Math.min(tail.get(), first + BATCH);
        for (long i = first; i < last; i++) {
            try {
                handle((int) i & SIZE - 1);
            } catch (RuntimeException | Error e) {
                taskFailed(e);
            }
            // The position advances even after a failure. Otherwise, the worker would repeatedly process the same
            // entry, which is now empty.
            head.set(i + 1);
        }
        if (last > first) {
            monitor.roomMade();
        }
        return last > first;
    }

    private void handle(int slot) {
        Runnable task = tasks[slot];
        if (task != null) {
            tasks[slot] = null;
            task.run();
            return;
        }
        CompletionTarget target = targets[slot];
        targets[slot] = null;
        int at = slot * 4;
        target.completion(numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]);
    }

    @Override
    protected boolean hasEvents() {
        return head.get() != tail.get();
    }

    @Override
    protected void await(long timeoutMs) {
        // Clears an interrupt that a callback may have left pending, because an interrupted thread would never block
        // again.
        Thread.interrupted();
        LockSupport.parkNanos(timeoutMs * 1_000_000);
    }

    @Override
    protected void interrupt() {
        LockSupport.unpark(thread());
    }

    @Override
    protected void end() {
        // A worker has no resources to release.
    }
}
