package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Publisher;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits until the broker has consumed what was published: as long as it makes progress, however slowly. */
final class Drain {
    private static final long STEP_MS = 1000;

    private Drain() {}

    /** Messages that the broker has not consumed; exact when there are none. */
    static long missingCount(Publisher publisher) {
        return publisher.unconfirmedLength() == 0 ? 0 : publisher.unconfirmedCount();
    }

    /**
     * Waits until everything is consumed, or the broker has consumed nothing for some time.
     *
     * @param canProgress false ends the waiting, besides a lost connection
     */
    static void await(Publisher publisher, Duration patience, BooleanSupplier canProgress) {
        long least = Long.MAX_VALUE;
        long progressNs = System.nanoTime();
        while (!publisher.flush(STEP_MS) && publisher.isConnected() && canProgress.getAsBoolean()) {
            long length = publisher.unconfirmedLength();
            if (length < least) {
                least = length;
                progressNs = System.nanoTime();
            } else if (Thread.currentThread().isInterrupted() || System.nanoTime() - progressNs >= patience.toNanos()) {
                return;
            }
        }
    }
}
