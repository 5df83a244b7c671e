package io.rocketbufs.rocketnet;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The thread that runs a connection's I/O and callbacks, as seen by other threads.
 *
 * <p><b>Thread-safety:</b> all methods may be called from any thread.
 */
public interface Worker extends Executor {
    /** Returns true if the calling thread is the worker itself. */
    boolean inWorker();

    /**
     * Runs a task on the worker, after the tasks that are already queued, even if this method is called on the worker
     * itself. A task passed to a worker that has ended is dropped.
     */
    @Override
    void execute(Runnable task);

    /**
     * Runs a task once on the worker, no earlier than {@code delayMs} milliseconds from now. Transports round the due
     * time up to a whole millisecond, so tasks that are due in the same millisecond wake the thread only once.
     */
    Future<?> schedule(Runnable task, long delayMs);

    /**
     * Returns the due time of a task scheduled at {@code nowNs}: the first whole millisecond of {@link System#nanoTime}
     * that is at least {@code delayMs} milliseconds later than {@code nowNs}.
     */
    static long dueNs(long nowNs, long delayMs) {
        long msNs = TimeUnit.MILLISECONDS.toNanos(1);
        return -Math.floorDiv(-nowNs, msNs) * msNs + TimeUnit.MILLISECONDS.toNanos(delayMs);
    }
}
