package io.rocketbufs;

import io.rocketbufs.rocketnet.AtomicWord;
import java.util.function.LongConsumer;

/**
 * The owner's access to an 8-byte word of its memory, in the machine's byte order, on which peers perform atomic
 * operations.
 *
 * <p>If a device executes the operations, an exception thrown by a result callback is logged. Once the transport of
 * that device has been closed, new operations throw {@link io.rocketbufs.rocketnet.TransportException}, and the results
 * of outstanding operations are not reported.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> a view of memory owned by the caller, which must not release
 * it before all results have been reported or the transport has been closed.
 */
public final class AtomicCell {
    private final AtomicWord word;

    AtomicCell(AtomicWord word) {
        this.word = word;
    }

    /** Returns the current value, which another operation may change at any time. */
    public long value() {
        return word.value();
    }

    /**
     * Atomically adds {@code addend} to the value.
     *
     * @param before called once with the value before the addition: during this call, or later on a worker if a device
     *     executes the operation
     */
    public void fetchAdd(long addend, LongConsumer before) {
        word.fetchAdd(addend, before);
    }

    /**
     * Atomically sets the value to {@code desired} if it is {@code expected}.
     *
     * @param before called once with the value before the operation, in the same way as for {@link #fetchAdd}
     */
    public void compareSwap(long expected, long desired, LongConsumer before) {
        word.compareSwap(expected, desired, before);
    }
}
