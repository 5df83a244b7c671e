package io.rocketbufs.out;

/**
 * The other buffer from which a reader in this process fills a buffer. The subscriptions to the filled buffer can delay
 * the producer of the other one.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public interface Origin {
    /** Returns the number of bytes in the other buffer that can be in transit. */
    long capacity();

    /** Returns true while its producer waits. */
    boolean isWaiting();

    /** Returns a number that changes with each beginning and end of a wait: see {@link FanoutOwner#waitCount()}. */
    long waitCount();

    /** Returns the position in the other buffer up to which the reader has released it. */
    long released();

    /** Returns true while no subscription takes more, so that the reader keeps memory that the producer needs. */
    boolean isHeldUp();
}
