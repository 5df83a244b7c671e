package io.rocketbufs.rocketnet.rdma;

/**
 * The context with which an operation is posted, and which its completion returns: 64 bits instead of an object.
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
 * Numbers wrap; there are far fewer operations outstanding than numbers.
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

    /** Returns the full number of the operation, derived from an earlier one. */
    static long operation(long context, long earlier) {
        return earlier + ((context >>> OPERATION_SHIFT) - earlier & OPERATION_MASK);
    }

    /** Returns the full number of writes, derived from an earlier one. */
    static long writes(long context, long earlier) {
        return earlier + (context - earlier & WRITES_MASK);
    }
}
