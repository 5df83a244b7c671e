package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of GAP, which reports skipped data. Positions count only bytes that were sent, so the stream continues at
 * the same position. The receiver discards the part of an unfinished transfer that lies beyond this position.
 *
 * <pre>
 *  0        4            12             20
 *  +--------+------------+--------------+
 *  |  tag   |  position  |  lost bytes  |
 *  +--------+------------+--------------+
 * </pre>
 */
public final class GapLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 20;

    private GapLayout() {}

    /** Writes the body at the buffer's position. */
    public static void put(ByteBuffer message, int tag, long position, long lost) {
        message.putInt(tag).putLong(position).putLong(lost);
    }

    /** Returns the tag of the subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the position at which the stream continues. */
    public static long position(ByteBuffer body) {
        return body.getLong(body.position() + 4);
    }

    /** Returns the number of bytes skipped. */
    public static long lost(ByteBuffer body) {
        return body.getLong(body.position() + 12);
    }
}
