package io.rocketbufs.rocketnet.tcp;

/**
 * The layout of a frame on a TCP connection: a 64-bit big-endian header followed by the payload.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +---------------------------------------------------------------+
 * |                        Immediate data                         |
 * +---+-----------------------------------------------------------+
 * | K |                    Payload length                         |
 * +---+-----------------------------------------------------------+
 * |                     Payload, length bytes                   ...
 *
 * K 0  write: the receiver places the payload, then receives the immediate data
 *   1  control message: the immediate data is 0
 *   2  positioned write, reserved
 *   3  reserved
 * </pre>
 *
 * <p><b>Source:</b> RocketBufs 3.5: a 32-bit buffer id and a 32-bit length. The immediate data replaces the buffer id;
 * the transport does not interpret it. The kind occupies the two highest bits of the length, because no write is long
 * enough to need them.
 */
final class TcpFrameLayout {
    /** Length of the header in bytes. */
    static final int HEADER_LENGTH = 8;

    /** The kind of a write. */
    static final int WRITE = 0;

    /** The kind of a control message. */
    static final int CONTROL = 1;

    /**
     * Maximum payload length of a write in bytes. A longer transfer is split into several writes, so that control
     * messages can be sent between them.
     */
    static final int LONGEST_WRITE = 256 << 10;

    /** Maximum payload length of a control message in bytes. */
    static final int LONGEST_CONTROL = 16 << 10;

    private static final int KIND_SHIFT = 30;
    private static final int LENGTH_MASK = (1 << KIND_SHIFT) - 1;

    private TcpFrameLayout() {}

    /** Returns the header of a write. */
    static long write(int immediate, int length) {
        return (long) immediate << 32 | length;
    }

    /** Returns the header of a control message. */
    static long control(int length) {
        return (long) CONTROL << KIND_SHIFT | length;
    }

    /** Returns the immediate data of a header. */
    static int immediate(long header) {
        return (int) (header >>> 32);
    }

    /** Returns the kind of a frame, 0 to 3. */
    static int kind(long header) {
        return (int) header >>> KIND_SHIFT;
    }

    /** Returns the number of bytes that follow the header. */
    static int length(long header) {
        return (int) header & LENGTH_MASK;
    }
}
