package io.rocketbufs.rocketlog.protocol;

/**
 * The word with which producers reserve places in a segment that they share. It is in the memory of the broker, in its
 * machine's byte order, and each producer adds to it one-sidedly.
 *
 * <pre>
 *  63       48 47                                        0
 *  +----------+------------------------------------------+
 *  |  order   | position, from the beginning of the grant |
 *  +----------+------------------------------------------+
 * </pre>
 *
 * <p>Each addition returns the order and the position of the producer's next batch. The order begins again at 0 after
 * 65,535. The position can be far beyond the end of the segment, so that a producer sees that the segment is full.
 *
 * <p>The word is only advice, because any producer can add anything: the broker relies on the orders that arrive, and
 * on the batches that it finds.
 *
 * <p><i>Thread-safety:</i> stateless. <i>Source:</i> KafkaDirect, section 4.2.2 and figure 5.
 */
public final class OrderWordLayout {
    /** Length of the word in bytes. */
    public static final int LENGTH = Long.BYTES;

    /** Number of different orders. */
    public static final int ORDERS = 1 << 16;

    private static final int POSITION_BITS = 48;
    private static final long POSITION_MASK = (1L << POSITION_BITS) - 1;

    private OrderWordLayout() {}

    /** Returns what a producer adds to reserve the place of its next batch. */
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
