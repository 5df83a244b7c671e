package io.rocketbufs.rocketnet;

import java.util.concurrent.Executor;
import java.util.concurrent.Future;

/**
 * The thread that runs a connection's I/O and callbacks, as other threads see it.
 *
 * <p><b>Thread-safety:</b> all methods may be called from any thread.
 */
public interface Worker extends Executor {
    /** Returns true on the worker's own thread. */
    boolean inWorker();

    /**
     * Runs a task on the worker, after the tasks already queued, even when called on the worker itself. A task passed
     * to a worker that has ended is dropped.
     */
    @Override
    void execute(Runnable task);

    /** Runs a task on the worker once, no earlier than {@code delayMs} milliseconds from now. */
    Future<?> schedule(Runnable task, long delayMs);
}
