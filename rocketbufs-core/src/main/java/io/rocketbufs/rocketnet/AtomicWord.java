package io.rocketbufs.rocketnet;

import io.rocketbufs.memory.Region;
import java.util.function.LongConsumer;

/**
 * The owner's access to eight bytes of its memory on which peers use atomic operations ({@link Right#ATOMIC}).
 *
 * <p>The number is in the machine's byte order. The owner must change the number only through this interface. If a
 * device executes the peers' operations, an operation by the processor on the same memory is not atomic with respect to
 * them.
 *
 * <p>If a device executes the operations, these methods throw {@link TransportException} after the transport has been
 * closed. Operations in progress at that time are not reported.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> a view of memory that the caller owns. The caller must not
 * release the memory before the results of all operations have been reported.
 */
public interface AtomicWord {
    /**
     * Returns the number, with acquire semantics. Another operation may change the number at any time, so do not base
     * decisions on it unless it only ever changes in one direction.
     */
    long value();

    /**
     * Adds to the number, atomically with respect to all other atomic operations on it.
     *
     * @param before called once with the number before the addition: during this call or, if a device executes the
     *     operation, later on a worker
     */
    void fetchAdd(long addend, LongConsumer before);

    /**
     * Sets the number to {@code desired} if it is {@code expected}, atomically with respect to all other atomic
     * operations on it.
     *
     * @param before called once with the number before the operation: during this call or, if a device executes the
     *     operation, later on a worker
     */
    void compareSwap(long expected, long desired, LongConsumer before);

    /**
     * Returns access to a word on which this machine's processor executes all operations.
     *
     * @param offset offset of the word in the region, in bytes; a multiple of 8
     * @throws IllegalArgumentException if no word can start at this offset, or the region is read-only
     */
    static AtomicWord ofProcessor(Region region, long offset) {
        return new ProcessorWord(region, offset);
    }
}
