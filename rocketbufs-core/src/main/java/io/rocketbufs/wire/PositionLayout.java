package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * Body of the messages about one subscription: its tag and a position in its stream, or another number.
 *
 * <pre>
 *  0        4            12
 *  +--------+------------+
 *  |  tag   |  position  |
 *  +--------+------------+
 * </pre>
 */
public final class PositionLayout {
    /** Bytes of the body. */
    public static final int LENGTH = 12;

    private PositionLayout() {}

    /** Writes the body at the buffer's position. */
    public static void put(ByteBuffer message, int tag, long position) {
        message.putInt(tag).putLong(position);
    }

    /** The subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** The position. */
    public static long position(ByteBuffer body) {
        return body.getLong(body.position() + 4);
    }
}
