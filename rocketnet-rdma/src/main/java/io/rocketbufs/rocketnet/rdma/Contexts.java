package io.rocketbufs.rocketnet.rdma;

/**
 * The context of a posted operation, which its completion returns. It is encoded in 64 bits, so that no object is
 * needed.
 *
 * <pre>
 *   63            48   47   46            24 23                 0
 *  +----------------+------+----------------+--------------------+
 *  |   connection   | send | operation's no | writes so far      |
 *  +----------------+------+----------------+--------------------+
 *  |   connection   |  0   |                |   receive's slot   |
 *  +----------------+------+----------------+--------------------+
 * </pre>
 *
 * Numbers wrap around. They remain unambiguous, because far fewer operations are outstanding than there are numbers.
 */
final class Contexts {
    /** The highest number of a connection of a NIC. The lowest is 1, so no context is 0. */
    static final int MAX_CONNECTION = (1 << 16) - 1;

    private static final int CONNECTION_SHIFT = 48;
    private static final long SEND = 1L << 47;
    private static final int OPERATION_SHIFT = 24;
    private static final long OPERATION_MASK = (1L << 23) - 1;
    private static final long WRITES_MASK = (1L << 24) - 1;

    private Contexts() {}

    static long send(int connection, long operation, long writes) {
        return (long) connection << CONNECTION_SHIFT
                | SEND
                | (operation & OPERATION_MASK) << OPERATION_SHIFT
                | writes & WRITES_MASK;
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

    static int slot(long context) {
        return (int) (context & WRITES_MASK);
    }

    /** Returns the full number of the operation, given the full number of an earlier operation. */
    static long operation(long context, long earlier) {
        return earlier + ((context >>> OPERATION_SHIFT) - earlier & OPERATION_MASK);
    }

    /** Returns the full number of writes, given an earlier value of this number. */
    static long writes(long context, long earlier) {
        return earlier + (context - earlier & WRITES_MASK);
    }
}
