package io.rocketbufs.rocketnet.shm;

import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A task of a worker with its due time. */
final class ShmTimer extends FutureTask<Void> implements Delayed {
    private final long dueNs;
    private final Consumer<ShmTimer> onCancel;

    ShmTimer(Runnable task, long delayMs, Consumer<ShmTimer> onCancel) {
        super(task, null);
        this.dueNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        this.onCancel = onCancel;
    }

    boolean isDue() {
        return dueNs - System.nanoTime() <= 0;
    }

    /** Returns the time until it is due in milliseconds, rounded up so that a wait does not end too early. */
    long leftMs() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(dueNs - System.nanoTime() + 999_999));
    }

    @Override
    protected void done() {
        if (isCancelled()) {
            onCancel.accept(this);
        }
    }

    @Override
    public long getDelay(TimeUnit unit) {
        return unit.convert(dueNs - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
        return Long.compare(dueNs - ((ShmTimer) other).dueNs, 0);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
