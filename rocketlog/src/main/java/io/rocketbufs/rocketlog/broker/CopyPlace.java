package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.AtomicCell;
import io.rocketbufs.rocketlog.broker.WrittenBatches.Copied;
import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/**
 * A place for one batch that the broker copies into a shared segment, with the batch's reservation in the order word.
 *
 * <pre>
 *           offer             reserve               take
 *   free ----------&gt; offered ---------&gt; reserved ----------&gt; free
 *                       |                                     ^
 *                       +-------------- take -----------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread may call {@link #offer}; only the appending thread calls the methods below it.
 */
final class CopyPlace {
    private final AtomicReference<Copied> batch = new AtomicReference<>();
    private final LongConsumer onReserved = before -> reserved = before;
    /** The broker's access to the order word; null if the broker has none. Set before the first batch is offered. */
    private AtomicCell orders;

    private boolean isReserved;
    /** The value of the order word before the reservation. */
    private long reserved;

    /** Allows copies, for which the broker uses the given access to the order word. */
    void allow(AtomicCell word) {
        orders = word;
    }

    /** Returns true if the broker can reserve places. */
    boolean isAllowed() {
        return orders != null;
    }

    boolean isFree() {
        return batch.get() == null;
    }

    /** Offers a batch. Returns false if copies are not allowed, or if another batch occupies the place. */
    boolean offer(Copied offered) {
        return orders != null && batch.compareAndSet(null, offered);
    }

    // The methods below are called only by the appending thread.

    /** Returns the lowest order that the next reservation can receive. */
    int nextOrder() {
        return OrderWordLayout.order(orders.value());
    }

    /** Returns the offered batch, or null if the place is free. */
    Copied batch() {
        return batch.get();
    }

    boolean isReserved() {
        return isReserved;
    }

    /** Reserves space for the batch in the segment. */
    void reserve(int length) {
        isReserved = true;
        orders.fetchAdd(OrderWordLayout.reservation(length), onReserved); // calls onReserved before it returns
    }

    /** Returns the reserved order. */
    int order() {
        return OrderWordLayout.order(reserved);
    }

    /** Returns the reserved position in the memory. */
    long position() {
        return OrderWordLayout.position(reserved);
    }

    /** Removes and returns the batch, or returns null if the place is free. */
    Copied take() {
        isReserved = false;
        return batch.getAndSet(null);
    }
}
