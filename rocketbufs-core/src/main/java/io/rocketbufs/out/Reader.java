package io.rocketbufs.out;

/**
 * A subscription, as seen by the buffer that it reads. This interface separates the rules for all readers of a buffer
 * from the subscriptions, which depend on the buffer.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
interface Reader {
    /** Returns the log position before which this reader uses no memory. */
    long released();

    /** Returns the log position up to which the peer is known to have consumed data. */
    long consumed();

    /** Returns true if another subscription of the same peer counts instead of this one. */
    boolean isSuperseded();

    /** Returns true if this reader gives way to the producer instead of making it wait. */
    boolean yields();

    /** Returns the maximum length in bytes of a transfer to this reader that combines deliveries. */
    long coalesceLimit();

    /** Applies the slow rule, because the producer needs memory that this reader uses. */
    void spaceWanted();
}
