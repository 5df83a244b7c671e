package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * One side of a load: all producers or all consumers. Each side has its own {@link RocketBufs} and threads, so that its
 * processor time can be measured separately. Both sides run in one process, because producers must know the progress of
 * the consumers to limit how far they are ahead.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its RocketBufs. The creator of any other thread must end
 * it.
 */
final class LoadSide implements AutoCloseable {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final double SECOND_NS = 1e9;
    /** Spare places in the list of threads, because threads may start while they are listed. */
    private static final int SPARE = 16;

    /** The group of this side's threads. A new thread joins the group of the thread that creates it. */
    private final ThreadGroup group;

    private final RocketBufs rocketBufs;

    private LoadSide(String name, Config config) throws InterruptedException {
        this.group = new ThreadGroup(name);
        this.rocketBufs = call(() -> RocketBufs.open(config));
    }

    /** Opens a side whose threads have the given name. */
    static LoadSide open(String name, Config config) throws InterruptedException {
        return new LoadSide(name, config);
    }

    /** Returns the RocketBufs of this side. Connections must be opened within {@link #call}. */
    RocketBufs rocketBufs() {
        return rocketBufs;
    }

    /** Returns a new thread of this side, without starting it. */
    Thread thread(Runnable task) {
        Thread thread = new Thread(group, task, group.getName());
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Runs a task on a thread of this side, and returns its result. Threads that the task creates also belong to this
     * side.
     */
    <T> T call(Callable<T> task) throws InterruptedException {
        FutureTask<T> result = new FutureTask<>(task);
        Thread thread = thread(result);
        thread.start();
        try {
            return result.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            thread.interrupt();
        }
    }

    /** Returns the processor time that the live threads of this side have used, in seconds, or NaN if it is unknown. */
    double cpuSeconds() {
        if (!THREADS.isThreadCpuTimeSupported()) {
            return Double.NaN;
        }
        Thread[] threads = new Thread[group.activeCount() + SPARE];
        int count = group.enumerate(threads);
        long sumNs = 0;
        for (int i = 0; i < count; i++) {
            sumNs += Math.max(0, THREADS.getThreadCpuTime(threads[i].getId()));
        }
        return sumNs / SECOND_NS;
    }

    @Override
    public void close() {
        rocketBufs.close();
    }
}
