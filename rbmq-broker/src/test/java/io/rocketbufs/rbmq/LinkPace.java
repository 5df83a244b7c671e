package io.rocketbufs.rbmq;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The rate of a slow link. A timer allows some bytes in each interval, for which the link's threads wait.
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

    /** Starts to allow bytes. An idle link does not save more than the bytes of one interval. */
    LinkPace(int bytesPerSecond) {
        int length = bytesPerSecond * INTERVAL_MS / 1000;
        timer.scheduleAtFixedRate(
                () -> allowed.release(Math.max(0, length - allowed.availablePermits())),
                0,
                INTERVAL_MS,
                TimeUnit.MILLISECONDS);
    }

    /** Waits until one byte may pass, and returns how many may, at most {@code length}. */
    int take(int length) {
        allowed.acquireUninterruptibly();
        int more = Math.min(length - 1, allowed.availablePermits());
        return more > 0 && allowed.tryAcquire(more) ? 1 + more : 1;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        allowed.release(Integer.MAX_VALUE / 2); // the rest passes at once
    }
}
