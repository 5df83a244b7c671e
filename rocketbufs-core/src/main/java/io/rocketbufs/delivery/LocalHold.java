package io.rocketbufs.delivery;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much of its buffer's memory one subscription still uses: what it has not sent, and what is on its way.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token; {@link #released()} is read by anybody.
 */
final class LocalHold {
    private final Runnable onReleased;
    private int inFlightCount;
    /** Log position to go on to when nothing is in flight. */
    private long passedTo;

    /** Who is told of a step fences before it looks at others, so a release is enough. */
    private final AtomicLong released = new AtomicLong();

    /**
     * Holds nothing yet.
     *
     * @param onReleased run after each step
     */
    LocalHold(Runnable onReleased) {
        this.onReleased = onReleased;
    }

    /** Begins to hold what follows a log position. */
    void begin(long position) {
        released.setRelease(position);
    }

    /** Log position up to which memory is not used any more. */
    long released() {
        return released.get();
    }

    /** True when writes are on their way. */
    boolean isInFlight() {
        return inFlightCount > 0;
    }

    /** A write is on its way. */
    void onPosted() {
        inFlightCount++;
    }

    /** The oldest write on its way, which reached to {@code end}, has completed. */
    void onCompleted(long end) {
        inFlightCount--;
        release(inFlightCount == 0 ? Math.max(end, passedTo) : end);
    }

    /**
     * Whatever lies before {@code end} is written or left out; its memory is free once the writes on their way have
     * completed.
     */
    void pass(long end) {
        passedTo = end;
        if (inFlightCount == 0 && released.getPlain() < end) {
            release(end);
        }
    }

    /** Memory before {@code end} is not used any more. */
    void release(long end) {
        released.setRelease(end);
        onReleased.run();
    }
}
