package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;

/**
 * The batches written into a segment, by their order numbers. They are taken in this order; a batch that arrives before
 * its predecessors waits for them.
 *
 * <pre>
 *            due           due + 1         due + 2                due + 1022
 *   taken ... |  missing   |   arrived     |   missing   |  ...   |  missing   |
 *                              waits
 * </pre>
 *
 * <p>An entry is one word, so that it can be added in a single operation:
 *
 * <pre>
 *  63      62      47 46       31 30          0
 *  +------+----------+-----------+-------------+
 *  | set  |  order   |  writer   |   length    |
 *  +------+----------+-----------+-------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread adds; one thread at a time takes. Allocates nothing. <i>Source:</i> KafkaDirect,
 * section 4.2.2: request i waits for request i - 1.
 */
final class OrderQueue {
    /** Maximum number of outstanding orders. One place stays free, because an entry is counted before it is removed. */
    static final int LIMIT = 1023;

    private static final int CAPACITY = LIMIT + 1;

    /** No entry. */
    static final long NONE = 0;

    private static final long SET = 1L << 63;
    private static final int ORDER_SHIFT = 47;
    private static final int WRITER_SHIFT = 31;
    private static final int WRITER_MASK = (1 << 16) - 1;
    private static final int LENGTH_MASK = Integer.MAX_VALUE;
    private static final int ORDER_MASK = OrderWordLayout.ORDERS - 1;

    private final AtomicLongArray entries = new AtomicLongArray(CAPACITY);
    /** Number of orders that have been taken; its lowest bits are the order that is taken next. */
    private volatile long taken;

    /**
     * Adds a batch that a writer has written.
     *
     * @param order 0 to 65,535
     * @param writer its number, 0 to 65,535
     * @param length a greater length counts as 2^31 - 1, which no batch has
     * @return false if the order is not outstanding, or has arrived already; the queue is then unchanged
     */
    boolean add(int order, int writer, long length) {
        return distance(order) < LIMIT && put(order, writer, length);
    }

    /**
     * Performs the second step of {@link #add}. If the order was taken since the first step, the entry is in the place
     * of a later order, and will be {@linkplain #isMisplaced misplaced}.
     */
    boolean put(int order, int writer, long length) {
        long entry = SET | (long) order << ORDER_SHIFT | (long) writer << WRITER_SHIFT | Math.min(length, LENGTH_MASK);
        return entries.compareAndSet(order % CAPACITY, NONE, entry);
    }

    /**
     * Returns how far an order is ahead of the one that is due: 0 if it is due, and a very large number if it has been
     * taken.
     */
    int distance(int order) {
        return order - (int) taken & ORDER_MASK;
    }

    /** Returns true if an order has neither been taken nor is due. */
    boolean isEarly(int order) {
        int distance = distance(order);
        return distance > 0 && distance < LIMIT;
    }

    /** Returns the number of orders that have been taken. */
    long taken() {
        return taken;
    }

    /** Takes the entry that is due. Returns {@link #NONE} if it has not arrived. */
    long take() {
        long before = taken;
        int index = (int) (before % CAPACITY);
        long entry = entries.get(index);
        if (entry != NONE) {
            taken = before + 1; // before the place is free for a later order
            entries.set(index, NONE);
        }
        return entry;
    }

    /**
     * Returns true if the entry taken last has a different order from the one that was due: a writer added the same
     * order a second time while the first one was being taken.
     */
    boolean isMisplaced(long entry) {
        return distance(order(entry) + 1) != 0;
    }

    /** Takes all entries in order, whether or not their predecessors have arrived. */
    void drain(LongConsumer consumer) {
        for (int i = 0; i < CAPACITY; i++) {
            int index = (int) ((taken + i) % CAPACITY);
            if (entries.get(index) != NONE) {
                consumer.accept(entries.getAndSet(index, NONE));
            }
        }
    }

    /** Returns true if entries wait; any thread. */
    boolean isWaiting() {
        for (int i = 0; i < CAPACITY; i++) {
            if (entries.get(i) != NONE) {
                return true;
            }
        }
        return false;
    }

    static int order(long entry) {
        return (int) (entry >>> ORDER_SHIFT) & ORDER_MASK;
    }

    static int writer(long entry) {
        return (int) (entry >>> WRITER_SHIFT) & WRITER_MASK;
    }

    static int length(long entry) {
        return (int) entry & LENGTH_MASK;
    }
}
