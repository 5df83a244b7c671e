package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * One side of a load: the producers or the consumers. It has a {@link RocketBufs} and threads of its own, so that its
 * processor time can be distinguished from that of the other side. In a process of its own, it would have to report its
 * progress to the other side, which must not be too far ahead or behind.
 *
 * <p><i>Thread-safety:</i> any thread. <i>Ownership:</i> owns its RocketBufs; the owners of its other threads end them.
 */
final class LoadSide implements AutoCloseable {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final double SECOND_NS = 1e9;
    /** Threads may start while they are listed. */
    private static final int SPARE = 16;

    /** A thread belongs to the group of the thread that creates it. */
    private final ThreadGroup group;

    private final RocketBufs rocketBufs;

    private LoadSide(String name, Config config) throws InterruptedException {
        this.group = new ThreadGroup(name);
        this.rocketBufs = call(() -> RocketBufs.open(config));
    }

    /** Opens a side, whose threads are called by the given name. */
    static LoadSide open(String name, Config config) throws InterruptedException {
        return new LoadSide(name, config);
    }

    /** Returns its RocketBufs. Connections are opened in {@link #call}. */
    RocketBufs rocketBufs() {
        return rocketBufs;
    }

    /** Returns a thread of this side, which is not started. */
    Thread thread(Runnable task) {
        Thread thread = new Thread(group, task, group.getName());
        thread.setDaemon(true);
        return thread;
    }

    /** Runs a task on a thread of this side, to which the threads that it creates belong, too. */
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

    /**
     * Returns the processor time that its threads have used, in seconds, without those that have ended; NaN if unknown.
     */
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
