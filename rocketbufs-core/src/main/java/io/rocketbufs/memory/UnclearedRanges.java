package io.rocketbufs.memory;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The released ranges that still contain old data, and the thread that clears them.
 *
 * <p>A range is cleared in steps. Each step is reported only after it has been cleared. If clearing fails, the step
 * stays unused permanently, and the thread logs the failure and continues with the next step.
 *
 * <p><i>Thread-safety:</i> any thread. No lock of this class is held while memory is cleared.
 *
 * <p><i>Ownership:</i> owns the thread until {@link #close}.
 */
final class UnclearedRanges {
    /**
     * Maximum number of bytes cleared at a time. Clearing 256 KiB takes about 10 microseconds, during which the slab is
     * locked.
     */
    static final long STEP_LENGTH = 256 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(UnclearedRanges.class);

    private final ExecutorService background;
    private final Consumer<FreeRange> onCleared;
    private final Deque<FreeRange> waiting = new ArrayDeque<>();
    private long length;
    private boolean scheduled;
    private volatile boolean prepared;

    /** Creates an empty set. {@code onCleared} is called with each step, on the thread that cleared the step. */
    UnclearedRanges(ExecutorService background, Consumer<FreeRange> onCleared) {
        this.background = background;
        this.onCleared = onCleared;
    }

    /**
     * Returns an executor with one daemon thread, which starts with the first task. After shutdown, tasks run on the
     * calling thread.
     */
    static ExecutorService newThread() {
        return new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "rocketbufs-memory-clearer");
                    thread.setDaemon(true);
                    return thread;
                },
                (task, executor) -> task.run());
    }

    /**
     * Starts the thread. Call this method before the first {@link #add}, because starting a thread can take
     * milliseconds.
     *
     * @throws MemoryException if the operating system refuses to create a thread
     */
    void prepare() {
        if (!prepared) {
            try {
                background.execute(() -> {});
            } catch (OutOfMemoryError e) {
                // This error means that the limit on threads has been reached; the heap is not affected.
                throw new MemoryException("cannot start the thread that clears released memory: " + e.getMessage(), e);
            }
            prepared = true;
        }
    }

    /**
     * Adds a range for the background thread to clear. Does not block before {@link #close}; after that, the calling
     * thread clears the range.
     */
    void add(FreeRange range) {
        if (enqueue(range)) {
            try {
                background.execute(this::clearAll);
            } catch (OutOfMemoryError e) {
                // A failure has ended the thread, and no other thread can be started. The next release tries again.
                // Until then, allocations clear the memory that they need.
                unschedule();
                LOG.warn("Cannot start a thread to clear released memory: uncleared={} bytes", length(), e);
            }
        }
    }

    /** Ends the thread after it has cleared the waiting ranges. */
    void close() {
        background.shutdown();
    }

    private synchronized boolean enqueue(FreeRange range) {
        waiting.add(range);
        length += range.length();
        boolean wasScheduled = scheduled;
        scheduled = true;
        return !wasScheduled;
    }

    private void clearAll() {
        boolean finished = false;
        try {
            while (!isFinished()) {
                clearStepOrLog();
                // On a machine with few processors, the releasing thread should continue first.
                Thread.yield();
            }
            finished = true;
        } finally {
            if (!finished) {
                unschedule();
            }
        }
    }

    /**
     * Clears one step on the background thread. Logs a failure, because there is no caller to which it could be
     * reported. Returns normally even after a failure, because the remaining steps can still be cleared.
     */
    private void clearStepOrLog() {
        FreeRange step = nextStep();
        if (step != null) {
            try {
                clear(step);
            } catch (RuntimeException e) {
                LOG.error(
                        "Released memory cannot be cleared and stays unused: address=0x{} length={}",
                        Long.toHexString(step.address()),
                        step.length(),
                        e);
            }
        }
    }

    /**
     * Returns true if no range is waiting. The check and the update of the flag are one atomic step, so adding a range
     * later schedules the task again.
     */
    private synchronized boolean isFinished() {
        scheduled = !waiting.isEmpty();
        return !scheduled;
    }

    private synchronized void unschedule() {
        scheduled = false;
    }

    /** Clears one step on the calling thread and returns its length; returns 0 if no range is waiting. */
    long clearStep() {
        FreeRange step = nextStep();
        if (step == null) {
            return 0;
        }
        clear(step);
        return step.length();
    }

    private void clear(FreeRange step) {
        try {
            step.slab().clear(step.address(), step.length());
            onCleared.accept(step);
        } finally {
            subtract(step.length());
        }
    }

    private synchronized FreeRange nextStep() {
        FreeRange first = waiting.poll();
        if (first == null || first.length() <= STEP_LENGTH) {
            return first;
        }
        waiting.addFirst(new FreeRange(first.slab(), first.address() + STEP_LENGTH, first.length() - STEP_LENGTH));
        return new FreeRange(first.slab(), first.address(), STEP_LENGTH);
    }

    private synchronized void subtract(long cleared) {
        length -= cleared;
    }

    /** Returns the number of bytes that are waiting to be cleared or being cleared. */
    synchronized long length() {
        return length;
    }
}
