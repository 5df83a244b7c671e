package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.OrderWordLayout;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongConsumer;

/**
 * The batches written into a segment, sorted by their order numbers. A batch that arrives before its predecessors waits
 * in the queue until they have been taken.
 *
 * <pre>
 *            due           due + 1         due + 2                due + 1022
 *   taken ... |  missing   |   arrived     |   missing   |  ...   |  missing   |
 *                              waits
 * </pre>
 *
 * <p>An entry is a single word, so that it can be added atomically:
 *
 * <pre>
 *  63      62      47 46       31 30          0
 *  +------+----------+-----------+-------------+
 *  | set  |  order   |  writer   |   length    |
 *  +------+----------+-----------+-------------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread may add entries; only one thread at a time may take them. Allocates no memory
 * after construction. <i>Source:</i> KafkaDirect, section 4.2.2: request i waits for request i - 1.
 */
final class OrderQueue {
    /**
     * Maximum number of outstanding orders. One place stays free, because an entry counts as taken before it is
     * removed.
     */
    static final int LIMIT = 1023;

    private static final int CAPACITY = LIMIT + 1;

    /** The value of an empty place. */
    static final long NONE = 0;

    private static final long SET = 1L << 63;
    private static final int ORDER_SHIFT = 47;
    private static final int WRITER_SHIFT = 31;
    private static final int WRITER_MASK = (1 << 16) - 1;
    private static final int LENGTH_MASK = Integer.MAX_VALUE;
    private static final int ORDER_MASK = OrderWordLayout.ORDERS - 1;

    private final AtomicLongArray entries = new AtomicLongArray(CAPACITY);
    /** Number of orders that have been taken. The lowest bits of this number are the order that is due. */
    private volatile long taken;

    /**
     * Adds a batch that a writer has written.
     *
     * @param order 0 to 65,535
     * @param writer number of the writer, 0 to 65,535
     * @param length length of the batch in bytes; greater values are stored as 2^31 - 1, which exceeds the length of
     *     any valid batch
     * @return false, with the queue unchanged, if the order is not outstanding or has already arrived
     */
    boolean add(int order, int writer, long length) {
        return distance(order) < LIMIT && put(order, writer, length);
    }

    /**
     * Performs the second step of {@link #add}. If the order has been taken since the first step, the entry occupies
     * the place of a later order, and is therefore {@linkplain #isMisplaced misplaced}.
     */
    boolean put(int order, int writer, long length) {
        long entry = SET | (long) order << ORDER_SHIFT | (long) writer << WRITER_SHIFT | Math.min(length, LENGTH_MASK);
        return entries.compareAndSet(order % CAPACITY, NONE, entry);
    }

    /**
     * Returns how far an order is ahead of the order that is due. Returns 0 if the given order is due, and a very large
     * number if it has already been taken.
     */
    int distance(int order) {
        return order - (int) taken & ORDER_MASK;
    }

    /** Returns true if an order is outstanding but not yet due. */
    boolean isEarly(int order) {
        int distance = distance(order);
        return distance > 0 && distance < LIMIT;
    }

    /** Returns the number of orders that have been taken. */
    long taken() {
        return taken;
    }

    /**
     * Returns true if the entry that is due has arrived but has not been taken, because the thread that takes entries
     * was delayed. Called only by that thread.
     */
    boolean hasDue() {
        return entries.get((int) (taken % CAPACITY)) != NONE;
    }

    /** Removes and returns the entry that is due, or returns {@link #NONE} if it has not arrived. */
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
     * Returns true if the order of the last entry taken differs from the order that was due. This happens if a writer
     * adds the same order a second time while the first entry is being taken.
     */
    boolean isMisplaced(long entry) {
        return distance(order(entry) + 1) != 0;
    }

    /** Removes all entries in order, whether or not their predecessors have arrived, and passes them to a consumer. */
    void drain(LongConsumer consumer) {
        for (int i = 0; i < CAPACITY; i++) {
            int index = (int) ((taken + i) % CAPACITY);
            if (entries.get(index) != NONE) {
                consumer.accept(entries.getAndSet(index, NONE));
            }
        }
    }

    /** Returns true if the queue contains entries. Called by any thread. */
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
