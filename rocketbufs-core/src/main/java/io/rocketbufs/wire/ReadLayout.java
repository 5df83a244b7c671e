package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of READ_REQUEST: the requested bytes of granted memory, and the destination of the answer if the writer
 * addresses the memory.
 *
 * <pre>
 *  0            4          8          16          24       32
 *  +------------+----------+----------+-----------+--------+
 *  |  grant id  |  length  |  offset  |  address  |  key   |
 *  +------------+----------+----------+-----------+--------+
 * </pre>
 *
 * Address and key are 0 if the receiver places arriving bytes.
 */
public final class ReadLayout {
    /** Length of the body in bytes. */
    public static final int LENGTH = 32;

    private ReadLayout() {}

    /** Writes the requested range; a call to {@link #putAccess} must follow. */
    public static void putRange(ByteBuffer message, int grantId, int length, long offset) {
        message.putInt(grantId).putInt(length).putLong(offset);
    }

    /** Writes the access to the memory that receives the answer. */
    public static void putAccess(ByteBuffer message, long address, long key) {
        message.putLong(address).putLong(key);
    }

    /** Returns the id of the grant. */
    public static int grantId(ByteBuffer body) {
        return body.getInt(body.position());
    }

    /** Returns the number of requested bytes. */
    public static int length(ByteBuffer body) {
        return body.getInt(body.position() + 4);
    }

    /** Returns the offset of the first requested byte in the granted memory. */
    public static long offset(ByteBuffer body) {
        return body.getLong(body.position() + 8);
    }

    /** Returns the address of the memory that receives the answer. */
    public static long address(ByteBuffer body) {
        return body.getLong(body.position() + 16);
    }

    /** Returns the remote key of the memory that receives the answer. */
    public static long key(ByteBuffer body) {
        return body.getLong(body.position() + 24);
    }
}
