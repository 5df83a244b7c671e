package io.rocketbufs.rocketnet.stub;

import io.rocketbufs.rocketnet.Worker;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * A worker whose tasks run on the test's thread, at the test's request. The worker has no clock: a scheduled task runs
 * only if the test {@linkplain #takeScheduled() takes} it.
 *
 * <p><b>Thread-safety:</b> none.
 */
public final class StubWorker implements Worker {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private volatile Thread runner;
    private long lastDelayMs = -1;
    private Future<?> lastScheduled;
    private Runnable lastTask;

    @Override
    public boolean inWorker() {
        return Thread.currentThread() == runner;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Future<?> schedule(Runnable task, long delayMs) {
        lastDelayMs = delayMs;
        lastTask = task;
        lastScheduled = new CompletableFuture<>();
        return lastScheduled;
    }

    /** Returns the delay of the most recently scheduled task in milliseconds, or -1 if there was none. */
    public long lastDelayMs() {
        return lastDelayMs;
    }

    /** Returns the most recently scheduled task, or null if there was none. */
    public Future<?> lastScheduled() {
        return lastScheduled;
    }

    /** Returns the most recently scheduled task, for the test to run. */
    public Runnable takeScheduled() {
        return lastTask;
    }

    /** Runs a task as the worker, and then runs all queued tasks. */
    public void run(Runnable task) {
        execute(task);
        run();
    }

    /** Runs all queued tasks, and the tasks that they queue, as the worker. */
    public void run() {
        Thread before = runner;
        runner = Thread.currentThread();
        try {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        } finally {
            runner = before;
        }
    }

    /** Returns the number of queued tasks. */
    public int taskCount() {
        return tasks.size();
    }
}
