package io.rocketbufs.benchmarks.shm.load;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * A counter of arriving messages that also checks their numbers.
 *
 * <p><b>Thread-safety:</b> one thread receives; any thread may read the counters.
 */
final class Receiver implements LongConsumer {
    private final LongConsumer next;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong faults = new AtomicLong();
    /** The number that the next message must have. */
    private long expected;

    /** @param next called with the number of each message after the message has been counted */
    Receiver(LongConsumer next) {
        this.next = next;
    }

    @Override
    public void accept(long number) {
        if (number != expected) {
            faults.lazySet(faults.get() + 1);
        }
        expected = number + 1;
        count.lazySet(count.get() + 1);
        next.accept(number);
    }

    /** Returns the number of messages that have arrived. */
    long count() {
        return count.get();
    }

    /** Returns the number of messages that were lost, duplicated, out of order or damaged. */
    long faults() {
        return faults.get();
    }
}
