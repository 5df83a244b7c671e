package io.rocketbufs.rocketlog.protocol;

/**
 * The word with which producers reserve places in a shared segment. It is in the broker's memory, in the byte order of
 * the broker's machine. Producers add to it with one-sided operations.
 *
 * <pre>
 *  63       48 47                                        0
 *  +----------+------------------------------------------+
 *  |  order   | position, from the beginning of the grant |
 *  +----------+------------------------------------------+
 * </pre>
 *
 * <p>Each addition returns the order and the position of the producer's next batch. After 65,535, the order wraps
 * around to 0. The position can be far beyond the end of the segment, which shows the producer that the segment is
 * full.
 *
 * <p>The word is only advisory, because any producer can add any value to it. The broker relies only on the orders that
 * arrive and on the batches that it finds.
 *
 * <p><i>Thread-safety:</i> stateless. <i>Source:</i> KafkaDirect, section 4.2.2 and figure 5.
 */
public final class OrderWordLayout {
    /** Length of the word in bytes. */
    public static final int LENGTH = Long.BYTES;

    /** Number of distinct orders. */
    public static final int ORDERS = 1 << 16;

    private static final int POSITION_BITS = 48;
    private static final long POSITION_MASK = (1L << POSITION_BITS) - 1;

    private OrderWordLayout() {}

    /** Returns the value that a producer adds to reserve the place of its next batch. */
    public static long reservation(int length) {
        return (1L << POSITION_BITS) + length;
    }

    /** Returns the order in a word. */
    public static int order(long word) {
        return (int) (word >>> POSITION_BITS);
    }

    /** Returns the position in a word. */
    public static long position(long word) {
        return word & POSITION_MASK;
    }
}
