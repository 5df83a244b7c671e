package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that creates and deletes topics, and opens segments, because workers must not wait for a disk. It runs
 * only while there are tasks.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its thread.
 */
final class DiskTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskTasks.class);
    /** Maximum number of waiting requests, which bounds the memory that a client can use by flooding the broker. */
    private static final int MOST_WAITING = 10_000;

    private final ThreadPoolExecutor executor =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "rocketlog-disk");
                thread.setDaemon(true);
                return thread;
            });

    DiskTasks() {
        executor.allowCoreThreadTimeOut(true);
    }

    /** A task that answers a client; it is dropped when the broker is closed. */
    private record Question(Runnable task, Consumer<Throwable> onFailure) implements Runnable {
        @Override
        public void run() {
            DiskTasks.run(task, onFailure);
        }
    }

    /**
     * Runs a task that answers a client, after the earlier tasks. Returns false if too many tasks wait, or the broker
     * is being closed.
     *
     * @param onFailure called with the exception if the task throws one, which is also logged
     */
    boolean answer(Runnable task, Consumer<Throwable> onFailure) {
        return executor.getQueue().size() < MOST_WAITING && begin(new Question(task, onFailure));
    }

    /**
     * Runs a task after the earlier ones, without a limit on their number: such a task completes work that was
     * accepted. Returns false if the broker is being closed.
     */
    boolean execute(Runnable task) {
        return begin(() -> run(task, failure -> {}));
    }

    private static void run(Runnable task, Consumer<Throwable> onFailure) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A client's task failed", e);
            onFailure.accept(e);
        }
    }

    private boolean begin(Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Drops the waiting requests, and waits for all other tasks, even if this thread is interrupted. */
    @Override
    public void close() {
        executor.getQueue().removeIf(Question.class::isInstance);
        executor.shutdown();
        boolean wasInterrupted = false;
        boolean hasEnded = false;
        while (!hasEnded) {
            try {
                hasEnded = executor.awaitTermination(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
