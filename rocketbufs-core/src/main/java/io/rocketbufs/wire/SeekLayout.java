package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of SEEK: the offset of the next write in granted memory. Further writes continue from there without gaps.
 *
 * <pre>
 *  0            4          12
 *  +------------+----------+
 *  |  grant id  |  offset  |
 *  +------------+----------+
 * </pre>
 */
public final class SeekLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 12;

    private SeekLayout() {}

    /** Writes the body at the buffer's position. */
    public static void put(ByteBuffer message, int grantId, long offset) {
        message.putInt(grantId).putLong(offset);
    }

    /** Returns the id of the grant. */
    public static int grantId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the offset in the granted memory. */
    public static long offset(ByteBuffer body) {
        return body.getLong(body.position() + 4);
    }
}
