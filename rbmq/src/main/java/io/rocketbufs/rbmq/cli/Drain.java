package io.rocketbufs.rbmq.cli;

import io.rocketbufs.rbmq.client.Publisher;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A wait until the broker has consumed all published messages. It continues as long as the broker makes progress. */
final class Drain {
    private static final long STEP_MS = 1000;

    private Drain() {}

    /** Returns the number of messages that the broker has not confirmed. 0 is exact; other values may be too high. */
    static long missingCount(Publisher publisher) {
        return publisher.unconfirmedLength() == 0 ? 0 : publisher.unconfirmedCount();
    }

    /**
     * Waits until the broker has consumed all messages, or has consumed nothing for the duration of the timeout.
     *
     * @param canProgress ends the wait by returning false; the end of the publisher also ends it
     */
    static void await(Publisher publisher, Duration timeout, BooleanSupplier canProgress) {
        StallTimeout stall = new StallTimeout(publisher, timeout);
        boolean goesOn = true;
        while (goesOn && !publisher.flush(STEP_MS) && !publisher.closed().isDone() && canProgress.getAsBoolean()) {
            goesOn = !stall.hasExpired() && !Thread.currentThread().isInterrupted();
        }
    }
}
