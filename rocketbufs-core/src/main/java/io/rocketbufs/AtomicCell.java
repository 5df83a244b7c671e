package io.rocketbufs;

import io.rocketbufs.rocketnet.AtomicWord;
import java.util.function.LongConsumer;

/**
 * The owner's access to eight bytes of its memory on which peers use atomic operations, in the machine's byte order.
 *
 * <p>If a device carries out the operations, an exception thrown by the receiver of a result is logged. In this case,
 * once the transport has been closed, new operations throw {@link io.rocketbufs.rocketnet.TransportException}, and the
 * results of outstanding ones are not reported.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> a view of memory that the caller owns, and must not release
 * before all results have been reported or the transport has been closed.
 */
public final class AtomicCell {
    private final AtomicWord word;

    AtomicCell(AtomicWord word) {
        this.word = word;
    }

    /** Returns the number, which another operation may change at any time. */
    public long value() {
        return word.value();
    }

    /**
     * Adds to the number.
     *
     * @param before called once with the number before the addition: during this call, or later on a worker if a device
     *     carries out the operation
     */
    public void fetchAdd(long addend, LongConsumer before) {
        word.fetchAdd(addend, before);
    }

    /**
     * Sets the number to {@code desired} if it is {@code expected}.
     *
     * @param before called once with the number before the operation, like that of {@link #fetchAdd}
     */
    public void compareSwap(long expected, long desired, LongConsumer before) {
        word.compareSwap(expected, desired, before);
    }
}
