package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;

/**
 * The header of every message between clients and broker. Messages are sent as control messages; numbers are
 * big-endian.
 *
 * <pre>
 *  0        1         2
 *  +--------+---------+----------
 *  |  type  | version | body …
 *  +--------+---------+----------
 * </pre>
 *
 * <p><b>Source:</b> the paper defines only one message, which creates a topic (4.1), and leaves its format open.
 */
public final class RbmqLayout {
    /** The supported protocol version. */
    static final int VERSION = 1;
    /** Length of the header in bytes. */
    static final int HEADER_LENGTH = 2;

    private RbmqLayout() {}

    /** Starts a message with room for a body. */
    static ByteBuffer begin(RbmqType type, int bodyLength) {
        return ByteBuffer.allocate(HEADER_LENGTH + bodyLength).put(type.code()).put((byte) VERSION);
    }

    /**
     * Reads the header and leaves the message's position at the start of the body.
     *
     * @throws TransportException when the header is missing, or its type or version is unknown
     */
    static RbmqType readType(ByteBuffer message) {
        if (message.remaining() < HEADER_LENGTH) {
            throw violation("a message has only " + message.remaining() + " bytes");
        }
        int code = message.get() & 0xff;
        int version = message.get() & 0xff;
        if (version != VERSION || RbmqType.of(code) == null) {
            throw violation("a message has unknown type=" + code + " or version=" + version);
        }
        return RbmqType.of(code);
    }

    /** Returns an exception for a protocol violation by the peer. */
    public static TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "RBMQ protocol violation: " + what);
    }
}
