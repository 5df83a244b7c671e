package io.rocketbufs.rocketlog.client;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A producer's tasks that run after a delay, one at a time.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns the thread that runs the tasks.
 */
final class DelayedTasks implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DelayedTasks.class);

    private final ScheduledExecutorService timer;
    private final Runnable afterwards;

    /** @param afterwards runs after each task */
    DelayedTasks(Runnable afterwards) {
        this.afterwards = afterwards;
        this.timer = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "rocketlog-producer");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Runs a task after a delay in milliseconds, unless {@link #close} is called first. */
    void schedule(Runnable task, long delayMs) {
        try {
            timer.schedule(
                    () -> {
                        task.run();
                        afterwards.run();
                    },
                    delayMs,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("The producer is closed", e);
        }
    }

    /** Ends the thread, and discards tasks that are not due yet. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
    }
}
