package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of messages about one subscription: its tag and a position in its stream. In UNSUBSCRIBE, the position is 0.
 *
 * <pre>
 *  0        4            12
 *  +--------+------------+
 *  |  tag   |  position  |
 *  +--------+------------+
 * </pre>
 */
public final class PositionLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 12;

    private PositionLayout() {}

    /** Writes the body at the buffer's position. */
    public static void put(ByteBuffer message, int tag, long position) {
        message.putInt(tag).putLong(position);
    }

    /** Returns the tag of the subscription. */
    public static int tag(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the position. */
    public static long position(ByteBuffer body) {
        return body.getLong(body.position() + 4);
    }
}
