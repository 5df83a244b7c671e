package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of REVOKE and REVOKED: a grant, identified by its id and its serial number, because ids are reused.
 *
 * <pre>
 *  0            4          8
 *  +------------+----------+
 *  |  grant id  |  serial  |
 *  +------------+----------+
 * </pre>
 */
public final class RevokeLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 8;

    private RevokeLayout() {}

    /** Writes the body at the buffer's position. */
    public static void put(ByteBuffer message, int grantId, int serial) {
        message.putInt(grantId).putInt(serial);
    }

    /** Returns the id of the grant. */
    public static int grantId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the serial number of the grant. */
    public static int serial(ByteBuffer body) {
        return body.getInt(body.position() + 4);
    }
}
