package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that creates topics, because workers must not wait for a disk. It exists only while there is something to
 * create.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its thread.
 */
final class TopicCreation implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TopicCreation.class);
    /** Questions that may wait; a client that floods the broker uses no more memory than they do. */
    private static final int MOST_WAITING = 1000;

    private final ThreadPoolExecutor executor =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(MOST_WAITING), task -> {
                Thread thread = new Thread(task, "rocketlog-topics");
                thread.setDaemon(true);
                return thread;
            });

    TopicCreation() {
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs a task after the earlier ones. Returns false if too many wait, or the broker is being closed.
     *
     * @param onFailure called with what the task throws, which is logged
     */
    boolean execute(Runnable task, Consumer<Throwable> onFailure) {
        try {
            executor.execute(() -> {
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    LOG.error("A topic could not be created", e);
                    onFailure.accept(e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Drops what waits, and waits for the task that runs, also if this thread is interrupted. */
    @Override
    public void close() {
        executor.getQueue().clear();
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
