package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Publisher;
import java.time.Duration;

/**
 * A timeout that restarts whenever the broker has consumed messages.
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
     * Returns true if the broker has consumed nothing for the duration of the timeout. No messages may be published
     * while the timeout is running.
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
