package io.rocketbufs.rocketnet.stub;

import io.rocketbufs.rocketnet.Worker;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * A worker whose tasks run on the test's thread, when the test says so. Time stands still: what is scheduled never
 * runs.
 *
 * <p><b>Thread-safety:</b> none.
 */
public final class StubWorker implements Worker {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private volatile Thread runner;

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
        return new CompletableFuture<>();
    }

    /** Runs a task as the worker, and then all that is queued. */
    public void run(Runnable task) {
        execute(task);
        run();
    }

    /** Runs all that is queued, and what that queues, as the worker. */
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

    /** Number of tasks that are queued. */
    public int taskCount() {
        return tasks.size();
    }
}
