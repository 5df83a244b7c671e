package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Publisher;
import java.time.Duration;

/**
 * Finds out that a broker has consumed nothing for too long, as opposed to little.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Patience {
    private final Publisher publisher;
    private final long limitNs;
    private long least = Long.MAX_VALUE;
    private long progressNs = System.nanoTime();

    /** Begins to wait. */
    Patience(Publisher publisher, Duration limit) {
        this.publisher = publisher;
        this.limitNs = limit.toNanos();
    }

    /** True when nothing has been consumed for the whole time; nothing may be published meanwhile. */
    boolean isOver() {
        long length = publisher.unconfirmedLength();
        if (length < least) {
            least = length;
            progressNs = System.nanoTime();
        }
        return System.nanoTime() - progressNs >= limitNs;
    }
}
