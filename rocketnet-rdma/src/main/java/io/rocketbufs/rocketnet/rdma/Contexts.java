package io.rocketbufs.rocketnet.rdma;

/**
 * The context of a posted operation, which the operation's completion returns. It is encoded in 64 bits, so no object
 * is needed.
 *
 * <pre>
 *   63            48   47     46   45            24 23                 0
 *  +----------------+------+-------+----------------+--------------------+
 *  |   connection   |  1   |   0   | operation's no | writes so far      |
 *  +----------------+------+-------+----------------+--------------------+
 *  |   connection   |  1   |   1   |                |   fetch's slot     |
 *  +----------------+------+-------+----------------+--------------------+
 *  |   connection   |  0   |   0   |                |   receive's slot   |
 *  +----------------+------+-------+----------------+--------------------+
 * </pre>
 *
 * Numbers wrap around. They remain unambiguous, because far fewer operations are outstanding than there are numbers. A
 * fetch is a read or an atomic operation. Its completion may overtake the completions of other operations, or be
 * overtaken by them.
 */
final class Contexts {
    /** The highest connection number of a NIC. The lowest is 1, so no context is 0. */
    static final int MAX_CONNECTION = (1 << 16) - 1;

    private static final int CONNECTION_SHIFT = 48;
    private static final long SEND = 1L << 47;
    private static final long FETCH = 1L << 46;
    private static final int OPERATION_SHIFT = 24;
    private static final int OPERATION_BITS = 22;
    private static final long OPERATION_MASK = (1L << OPERATION_BITS) - 1;
    private static final int WRITES_BITS = 24;
    private static final long WRITES_MASK = (1L << WRITES_BITS) - 1;

    private Contexts() {}

    static long send(int connection, long operation, long writes) {
        return (long) connection << CONNECTION_SHIFT
                | SEND
                | (operation & OPERATION_MASK) << OPERATION_SHIFT
                | writes & WRITES_MASK;
    }

    static long fetch(int connection, int slot) {
        return (long) connection << CONNECTION_SHIFT | SEND | FETCH | slot;
    }

    static long receive(int connection, int slot) {
        return (long) connection << CONNECTION_SHIFT | slot;
    }

    static int connection(long context) {
        return (int) (context >>> CONNECTION_SHIFT);
    }

    static boolean isSend(long context) {
        return (context & SEND) != 0;
    }

    static boolean isFetch(long context) {
        return (context & (SEND | FETCH)) == (SEND | FETCH);
    }

    /** Returns the slot of a fetch or of a receive. */
    static int slot(long context) {
        return (int) (context & WRITES_MASK);
    }

    /**
     * Returns the full number of the operation. {@code near} is the full number of an operation shortly before or after
     * it.
     */
    static long operation(long context, long near) {
        return near + signed((context >>> OPERATION_SHIFT) - near, OPERATION_BITS);
    }

    /**
     * Returns the full number of writes. {@code near} is the full number of writes shortly before or after this
     * operation.
     */
    static long writes(long context, long near) {
        return near + signed(context - near, WRITES_BITS);
    }

    private static long signed(long difference, int bits) {
        return difference << Long.SIZE - bits >> Long.SIZE - bits;
    }
}
