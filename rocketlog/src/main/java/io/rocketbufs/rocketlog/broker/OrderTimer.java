package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A timer that periodically checks for missing batches. It runs only while a batch may be missing.
 *
 * <p><i>Thread-safety:</i> any thread.
 */
final class OrderTimer {
    private static final int CHECKS_PER_TIMEOUT = 4;

    private final long periodMs;
    private final Runnable check;
    private final AtomicBoolean isRunning = new AtomicBoolean();

    /** @param check runs on a thread of the common pool, and must call {@link #start} if another check is needed */
    OrderTimer(long orderTimeoutMs, Runnable check) {
        this.periodMs = Math.max(1, orderTimeoutMs / CHECKS_PER_TIMEOUT);
        this.check = check;
    }

    /** Schedules the check after a quarter of the timeout, unless it is already scheduled. */
    void start() {
        if (!isRunning.get() && isRunning.compareAndSet(false, true)) {
            CompletableFuture.delayedExecutor(periodMs, TimeUnit.MILLISECONDS).execute(this::run);
        }
    }

    private void run() {
        isRunning.set(false); // before the check, which may schedule another check
        check.run();
    }
}
