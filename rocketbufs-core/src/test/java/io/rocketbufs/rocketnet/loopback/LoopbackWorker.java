package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.Worker;
import java.util.PriorityQueue;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * A thread that runs tasks one at a time, in the order of their due times.
 *
 * <p><b>Thread-safety:</b> any thread; the queue is guarded by this object.
 */
final class LoopbackWorker implements Worker {
    private final LoopbackNetwork network;
    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final Thread thread;
    private long nextNumber;
    private boolean ended;

    LoopbackWorker(LoopbackNetwork network, String name) {
        this.network = network;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public boolean inWorker() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void execute(Runnable task) {
        executeIn(task, 0);
    }

    /**
     * Runs a task after a delay. Unlike tasks passed to {@link #schedule}, this task counts as activity of the network.
     */
    void executeIn(Runnable task, long delayNs) {
        add(task, delayNs, true);
    }

    @Override
    public Future<?> schedule(Runnable task, long delayMs) {
        FutureTask<?> future = new FutureTask<>(() -> network.guarded(task), null);
        add(future, TimeUnit.MILLISECONDS.toNanos(delayMs), false);
        return future;
    }

    private synchronized void add(Runnable work, long delayNs, boolean underWay) {
        if (!ended) {
            if (underWay) {
                network.quiet().began();
            }
            tasks.add(new Task(work, System.nanoTime() + delayNs, nextNumber++, underWay));
            notifyAll();
        }
    }

    private void run() {
        for (Task task = take(); task != null; task = take()) {
            network.guarded(task.work);
            network.quiet().ended(task.underWay ? 1 : 0);
        }
    }

    private synchronized Task take() {
        try {
            while (!ended) {
                Task first = tasks.peek();
                long waitNs = first == null ? Long.MAX_VALUE : first.dueNs - System.nanoTime();
                if (waitNs <= 0) {
                    return tasks.poll();
                }
                TimeUnit.NANOSECONDS.timedWait(this, waitNs);
            }
        } catch (InterruptedException e) {
            network.record(new AssertionError("worker interrupted: " + thread.getName(), e));
        }
        return null;
    }

    /** Drops the queued tasks. Does not wait for the running task. */
    synchronized void end() {
        ended = true;
        network.quiet().ended((int) tasks.stream().filter(Task::underWay).count());
        tasks.clear();
        notifyAll();
    }

    void join() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        return thread.getName();
    }

    private record Task(Runnable work, long dueNs, long number, boolean underWay) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int byTime = Long.signum(dueNs - other.dueNs);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }
}
