package io.rocketbufs.out;

/**
 * The source of a buffer that a reader in this process fills. The subscriptions to the filled buffer can delay the
 * producer of the source. An interface, so that a buffer does not depend on its readers.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public interface Origin {
    /** Returns the number of bytes in the source that can be in transit. */
    long capacity();

    /** Returns true while the source's producer waits. */
    boolean isWaiting();

    /** Returns a number that changes when a wait begins or ends: see {@link FanoutOwner#waitCount()}. */
    long waitCount();

    /** Returns the position in the source up to which the reader has released data. */
    long released();

    /**
     * Returns true while no subscription accepts more data, so that the reader keeps memory that the producer needs.
     */
    boolean isHeldUp();

    /** Adds a task to be run, by any thread, when the source's producer has begun to wait for the reader. */
    void addDelayTask(Runnable task);

    /** Removes a task; does nothing if there is none. */
    void removeDelayTask(Runnable task);
}
