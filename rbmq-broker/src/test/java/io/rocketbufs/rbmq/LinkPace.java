package io.rocketbufs.rbmq;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A rate limit that simulates a slow link. A timer releases a number of bytes in each interval, for which the link's
 * threads wait.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns a thread.
 */
final class LinkPace implements AutoCloseable {
    private static final int INTERVAL_MS = 10;

    private final Semaphore allowed = new Semaphore(0);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "link-pace");
        made.setDaemon(true);
        return made;
    });

    /** Starts the timer. An idle link accumulates at most the bytes of one interval. */
    LinkPace(int bytesPerSecond) {
        int length = bytesPerSecond * INTERVAL_MS / 1000;
        timer.scheduleAtFixedRate(
                () -> allowed.release(Math.max(0, length - allowed.availablePermits())),
                0,
                INTERVAL_MS,
                TimeUnit.MILLISECONDS);
    }

    /** Waits until at least one byte may pass. Returns the number of bytes that may pass, at most {@code length}. */
    int take(int length) {
        allowed.acquireUninterruptibly();
        int more = Math.min(length - 1, allowed.availablePermits());
        return more > 0 && allowed.tryAcquire(more) ? 1 + more : 1;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        allowed.release(Integer.MAX_VALUE / 2); // all remaining data passes immediately
    }
}
