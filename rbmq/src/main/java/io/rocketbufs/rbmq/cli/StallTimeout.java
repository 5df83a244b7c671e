package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Publisher;
import java.time.Duration;

/**
 * A timeout that restarts whenever the broker has consumed something.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class StallTimeout {
    private final Publisher publisher;
    private final long limitNs;
    private long least = Long.MAX_VALUE;
    private long progressNs = System.nanoTime();

    /** Starts the timeout. */
    StallTimeout(Publisher publisher, Duration limit) {
        this.publisher = publisher;
        this.limitNs = limit.toNanos();
    }

    /**
     * Returns true when nothing has been consumed for the duration of the timeout. Nothing must be published while the
     * timeout runs.
     */
    boolean hasExpired() {
        long length = publisher.unconfirmedLength();
        if (length < least) {
            least = length;
            progressNs = System.nanoTime();
        }
        return System.nanoTime() - progressNs >= limitNs;
    }
}
