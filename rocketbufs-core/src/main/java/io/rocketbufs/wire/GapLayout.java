package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * Body of GAP: data was left out. Positions count what was sent, so the stream goes on at the same position; what had
 * arrived of an unfinished transfer beyond it is void.
 *
 * <pre>
 *  0        4            12             20
 *  +--------+------------+--------------+
 *  |  tag   |  position  |  lost bytes  |
 *  +--------+------------+--------------+
 * </pre>
 */
public final class GapLayout {
    /** Bytes of the body. */
    public static final int LENGTH = 20;

    private GapLayout() {}

    /** Writes the body at the buffer's position. */
    public static void put(ByteBuffer message, int tag, long position, long lost) {
        message.putInt(tag).putLong(position).putLong(lost);
    }

    /** The subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Where the stream goes on. */
    public static long position(ByteBuffer body) {
        return body.getLong(body.position() + 4);
    }

    /** Bytes that were left out. */
    public static long lost(ByteBuffer body) {
        return body.getLong(body.position() + 12);
    }
}
