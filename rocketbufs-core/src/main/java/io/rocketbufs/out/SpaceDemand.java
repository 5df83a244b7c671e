package io.rocketbufs.out;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The log position that all readers of one buffer must pass before the buffer's producer can continue, and the slow
 * rules of the readers in the producer's way.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SpaceDemand {
    private final boolean waits;
    private final Expectations expectations;
    private final Consumer<Expected> onGivenUp;
    private final AtomicLong wanted = new AtomicLong();
    private volatile Origin origin;

    /**
     * Creates an empty demand.
     *
     * @param waits true if the producer waits for expected subscriptions
     * @param expectations the expected subscriptions
     * @param onGivenUp called with each expected subscription for which the producer does not wait
     */
    SpaceDemand(boolean waits, Expectations expectations, Consumer<Expected> onGivenUp) {
        this.waits = waits;
        this.expectations = expectations;
        this.onGivenUp = onGivenUp;
    }

    /** Sets the buffer from which the producer takes the data. Called before the first subscription. */
    void setOrigin(Origin from) {
        origin = from;
    }

    /** Returns the buffer from which the producer takes the data; null if the producer creates the data itself. */
    Origin origin() {
        return origin;
    }

    /** Returns the log position that all readers must have passed before the producer can continue. */
    long position() {
        return wanted.get();
    }

    /**
     * Called before a reader joins, with the position that all other readers have passed. If the producer already has
     * the memory that it needed, a reader that begins with older data is not in its way.
     */
    void settle(long passed) {
        long needed = wanted.get();
        if (passed >= needed) {
            wanted.compareAndSet(needed, 0);
        }
    }

    /**
     * Applies the slow rule of each reader that has not passed {@code position}.
     *
     * @return true if all readers have now passed the position
     */
    boolean apply(long position, Expected[] expected, Reader[] readers) {
        boolean free = true;
        for (Expected each : expected) {
            if (each.position() < position) {
                if (waits && !each.yields()) {
                    raise(position);
                    free = false;
                } else {
                    onGivenUp.accept(each);
                }
            }
        }
        for (Reader reader : readers) {
            free &= apply(position, reader);
        }
        return free;
    }

    /** Applies the slow rule of one reader, like {@link #apply(long, Expected[], Reader[])}. */
    boolean apply(long position, Reader reader) {
        if (reader.released() < position) {
            // If a joining subscription has lowered the demand, it did so before it became visible here.
            raise(position);
            reader.spaceWanted();
        }
        return reader.released() >= position;
    }

    /** Called when the producer has begun to wait. Any thread. */
    void onProducerWaits() {
        for (Expected each : expectations.all()) {
            each.onProducerWaits();
        }
    }

    private void raise(long position) {
        wanted.accumulateAndGet(position, Math::max);
    }
}
