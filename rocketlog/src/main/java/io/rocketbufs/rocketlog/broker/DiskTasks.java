package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that creates and deletes topics and opens segments on behalf of the workers, which must not wait for a
 * disk. It runs only while there are tasks to execute.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its thread.
 */
final class DiskTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DiskTasks.class);
    /**
     * Number of waiting tasks at which further requests are refused. It limits the memory that a client can consume by
     * flooding the broker.
     */
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

    /** A task that responds to a client. It is dropped if the broker is closed before the task runs. */
    private record Question(Runnable task, Consumer<Throwable> onFailure) implements Runnable {
        @Override
        public void run() {
            DiskTasks.run(task, onFailure);
        }
    }

    /**
     * Queues a task that responds to a client; it runs after all earlier tasks. Returns false if too many tasks are
     * waiting, or the broker is being closed.
     *
     * @param onFailure called with the exception if the task throws one; the exception is also logged
     */
    boolean answer(Runnable task, Consumer<Throwable> onFailure) {
        return executor.getQueue().size() < MOST_WAITING && begin(new Question(task, onFailure));
    }

    /**
     * Queues a task that runs after all earlier tasks. The number of these tasks is not limited, because they complete
     * work that the broker has already accepted. Returns false if the broker is being closed.
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

    /**
     * Drops the waiting requests, and waits for all other tasks to finish, even if the calling thread is interrupted.
     */
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
