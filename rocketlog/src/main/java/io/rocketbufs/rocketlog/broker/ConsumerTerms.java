package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * State shared by the consumers of all clients: their limits, the number of segments that they have open, and the
 * thread for tasks that wait for the disk.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class ConsumerTerms {
    private final DiskTasks diskTasks;
    private final LogBrokerSettings.Consume settings;
    private final Executor afterTimeout;
    private final AtomicInteger openCount = new AtomicInteger();

    ConsumerTerms(DiskTasks diskTasks, LogBrokerSettings.Consume settings) {
        this.diskTasks = diskTasks;
        this.settings = settings;
        this.afterTimeout = CompletableFuture.delayedExecutor(
                settings.deletedSegmentTimeoutMs(), TimeUnit.MILLISECONDS, this::execute);
    }

    /** Runs a task on the thread that waits for the disk, or on the calling thread if the broker is being closed. */
    void execute(Runnable task) {
        if (!diskTasks.execute(task)) {
            task.run();
        }
    }

    int segmentsPerConnection() {
        return settings.segmentsPerConnection();
    }

    int openSegments() {
        return settings.openSegments();
    }

    long deletedSegmentTimeoutMs() {
        return settings.deletedSegmentTimeoutMs();
    }

    /** Counts a segment as open. Returns false, without counting it, if the limit is reached. */
    boolean tryCount() {
        int count = openCount.get();
        while (count < settings.openSegments()) {
            if (openCount.compareAndSet(count, count + 1)) {
                return true;
            }
            count = openCount.get();
        }
        return false;
    }

    /** Stops counting a segment that {@link #tryCount} has counted as open. */
    void uncount() {
        openCount.decrementAndGet();
    }

    /** Runs a task after a delay: the time for which consumers may continue to read a deleted segment. */
    void later(Runnable task) {
        afterTimeout.execute(task);
    }
}
