package io.rocketbufs.out;

import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;

/** The producing side of a buffer, which is notified when subscriptions release memory. */
interface FanoutOwner {
    /**
     * Called when a subscription has released memory up to {@code released}. Any thread; fast if the release has no
     * effect.
     */
    void onReleased(long released);

    /**
     * Returns the log position that all readers must have passed before the waiting producer is notified; 0 while the
     * producer does not wait. Any thread.
     */
    long awaited();

    /** Returns true if the waiting producer will be notified and does not retry until then. */
    boolean isNotified();

    /**
     * Called when a subscription that begins at a log position can now release memory. Any thread; follows a full
     * fence.
     */
    void onJoined(long begun);

    /** Returns the number of bytes of memory reserved for kept data, which cannot be in transit. */
    default long keep(BufferOptions options) {
        return options.keep();
    }

    /**
     * Returns true if the producer waits for the memory that it last needed. The result applies only until the readers
     * have passed that memory. An application that produces needs memory only if a reservation has been refused. Any
     * thread.
     */
    default boolean isWaiting() {
        return true;
    }

    /**
     * Returns a number that changes whenever the producer begins or stops waiting, if {@link #isWaiting} may miss this.
     */
    default long waitCount() {
        return 0;
    }

    /** Returns true if the data of this buffer uses the credit of the connections that receive it. */
    default boolean usesCredit() {
        return false;
    }

    /** Returns true if deliveries may overwrite data that a subscription has not sent yet. */
    boolean overwrites();

    /**
     * Returns the maximum length of a combined transfer that a subscription must accept whole, even if its own limit is
     * lower; 0 if there are no such transfers.
     */
    long longestCoalesced(Start start);

    /**
     * Called once, on any thread, when the ended buffer has no subscription left. Frees the id before the memory, so
     * that a caller that sees free memory can reuse the id.
     */
    void onDrained();
}
