package io.rocketbufs.wire;

import java.nio.ByteBuffer;

/**
 * The body of HELLO:
 *
 * <pre>
 *  0                 4                 6      7      8                12
 *  +-----------------+-----------------+------+------+-----------------+-----------
 *  |  magic "RBUF"   | protocol version| role | feat | heartbeat (ms)  | greeting …
 *  +-----------------+-----------------+------+------+-----------------+-----------
 * </pre>
 *
 * The protocol version covers everything that follows, including the meaning of the immediate data. The role is that of
 * the connecting side. The features are bits; a receiver ignores bits that it does not recognize. The application
 * defines the greeting, for example a name and credentials.
 */
public final class HelloLayout {
    /** Protocol version of this implementation. */
    public static final int PROTOCOL_VERSION = 3;
    /** Length in bytes of the part before the greeting. */
    public static final int FIXED_LENGTH = 12;
    /** Longest greeting in bytes. */
    public static final int MAX_GREETING_LENGTH = 4096;

    /** The feature bit of a side that supports grants: the grant messages and bit 30 of the immediate data. */
    public static final int GRANTS = 1;

    private static final int MAGIC = 0x52425546;

    private HelloLayout() {}

    /** Writes the body at the buffer's position. */
    public static void put(ByteBuffer message, int role, int heartbeatMs, byte[] greeting) {
        message.putInt(MAGIC)
                .putShort((short) PROTOCOL_VERSION)
                .put((byte) role)
                .put((byte) GRANTS)
                .putInt(heartbeatMs)
                .put(greeting);
    }

    /** Returns true if the body starts with the magic number. */
    public static boolean hasMagic(ByteBuffer body) {
        return body.getInt(body.position()) == MAGIC;
    }

    /** Returns the sender's protocol version. */
    public static int protocolVersion(ByteBuffer body) {
        return body.getShort(body.position() + 4) & 0xffff;
    }

    /** Returns the code of the connecting side's role. */
    public static int role(ByteBuffer body) {
        return body.get(body.position() + 6);
    }

    /** Returns the bits of the features that the sender supports. */
    public static int features(ByteBuffer body) {
        return body.get(body.position() + 7) & 0xff;
    }

    /** Returns the sender's heartbeat interval in milliseconds: the longest time for which the sender sends nothing. */
    public static int heartbeatMs(ByteBuffer body) {
        return body.getInt(body.position() + 8);
    }

    /** Returns the application's greeting. */
    public static byte[] greeting(ByteBuffer body) {
        byte[] greeting = new byte[body.remaining() - FIXED_LENGTH];
        body.get(body.position() + FIXED_LENGTH, greeting);
        return greeting;
    }
}
