package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;

/**
 * The header of every message between clients and broker, which travel as control messages; all is big-endian.
 *
 * <pre>
 *  0        1         2
 *  +--------+---------+----------
 *  |  type  | version | body …
 *  +--------+---------+----------
 * </pre>
 *
 * <p><b>Source:</b> the paper has one message, the creation of a topic (4.1), and leaves its form open.
 */
public final class RbmqLayout {
    /** Version that this code speaks. */
    static final int VERSION = 1;
    /** Bytes of the header. */
    static final int HEADER_LENGTH = 2;

    private RbmqLayout() {}

    /** Starts a message with room for a body. */
    static ByteBuffer begin(RbmqType type, int bodyLength) {
        return ByteBuffer.allocate(HEADER_LENGTH + bodyLength).put(type.code()).put((byte) VERSION);
    }

    /**
     * Reads the header and leaves the message's position at the body.
     *
     * @throws TransportException when the message has no header, or one that this code does not know
     */
    static RbmqType readType(ByteBuffer message) {
        if (message.remaining() < HEADER_LENGTH) {
            throw violation("a message of " + message.remaining() + " bytes");
        }
        int code = message.get() & 0xff;
        int version = message.get() & 0xff;
        if (version != VERSION || RbmqType.of(code) == null) {
            throw violation("a message of type " + code + " and version " + version);
        }
        return RbmqType.of(code);
    }

    /** A breach of the protocol by the peer. */
    public static TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "breach of rbmq's protocol: " + what);
    }
}
