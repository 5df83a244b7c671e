package io.rocketbufs.out;

import io.rocketbufs.link.WriteOwner;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The position up to which one subscription has released its buffer's memory. Later data is unsent or in flight.
 *
 * <p><b>Thread-safety:</b> used under the connection's token; any thread may read {@link #position()}.
 */
final class ReleasedMemory implements WriteOwner {
    private final Runnable onReleased;
    private int inFlightCount;
    /** Log position that is released when no write is in flight. */
    private long passedTo;

    /**
     * The released log position. A release store is enough, because every thread that reacts to an advance executes a
     * full fence before it reads other positions.
     */
    private final AtomicLong position = new AtomicLong();

    /**
     * Creates the position with nothing released.
     *
     * @param onReleased run after each advance
     */
    ReleasedMemory(Runnable onReleased) {
        this.onReleased = onReleased;
    }

    /** Sets the first position that is in use. */
    void begin(long first) {
        position.setRelease(first);
    }

    /** Returns the log position before which no memory is used. Any thread. */
    long position() {
        return position.get();
    }

    /** Returns true if writes are in flight. */
    boolean isInFlight() {
        return inFlightCount > 0;
    }

    @Override
    public void writePosted() {
        inFlightCount++;
    }

    @Override
    public void writeCompleted(long end) {
        inFlightCount--;
        writeDone(inFlightCount == 0 ? Math.max(end, passedTo) : end);
    }

    @Override
    public void writeDone(long end) {
        position.setRelease(end);
        onReleased.run();
    }

    /**
     * Records that all data before {@code end} has been sent or skipped. The memory becomes free when the writes in
     * flight have completed.
     */
    void pass(long end) {
        passedTo = end;
        if (inFlightCount == 0 && position.getPlain() < end) {
            writeDone(end);
        }
    }
}
