package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The header of every control message, big-endian:
 *
 * <pre>
 *  0        1         2                4                          8
 *  +--------+---------+----------------+--------------------------+----------
 *  |  type  | version |  body length   |      correlation id      | body …
 *  +--------+---------+----------------+--------------------------+----------
 * </pre>
 *
 * The correlation id pairs an answer with its request; it is 0 in all other messages.
 *
 * <p><b>Source:</b> RocketBufs 3.2 and 4.1 mention control messages but do not define their format.
 */
public final class ControlLayout {
    /** Protocol version of the control messages. */
    public static final int VERSION = 1;
    /** Length of the header in bytes. */
    public static final int HEADER_LENGTH = 8;
    /** Maximum length of the body in bytes. */
    public static final int MAX_BODY_LENGTH = 16 * 1024 - HEADER_LENGTH;

    private static final int TYPE_OFFSET = 0;
    private static final int VERSION_OFFSET = 1;
    private static final int LENGTH_OFFSET = 2;
    private static final int CORRELATION_OFFSET = 4;

    private ControlLayout() {}

    /** Clears the buffer, writes the header of a message, and sets the buffer's position to the body. */
    public static ByteBuffer begin(ByteBuffer message, ControlType type, int correlationId) {
        message.clear();
        return message.put(TYPE_OFFSET, type.code())
                .put(VERSION_OFFSET, (byte) VERSION)
                .putInt(CORRELATION_OFFSET, correlationId)
                .position(HEADER_LENGTH);
    }

    /** Completes the message that ends at the buffer's position, and prepares the buffer for reading. */
    public static ByteBuffer end(ByteBuffer message) {
        int bodyLength = message.position() - HEADER_LENGTH;
        return message.putShort(LENGTH_OFFSET, (short) bodyLength).flip();
    }

    /** Returns the code of the message's type. */
    public static int typeCode(ByteBuffer message) {
        return message.get(message.position() + TYPE_OFFSET) & 0xff;
    }

    /** Returns the message's version. */
    public static int version(ByteBuffer message) {
        return message.get(message.position() + VERSION_OFFSET) & 0xff;
    }

    /** Returns the length of the body in bytes, as stated in the header. */
    public static int bodyLength(ByteBuffer message) {
        return message.getShort(message.position() + LENGTH_OFFSET) & 0xffff;
    }

    /** Returns the id that pairs an answer with its request. */
    public static int correlationId(ByteBuffer message) {
        return message.getInt(message.position() + CORRELATION_OFFSET);
    }
}
