package io.rocketbufs.wire;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;

/** Checks an arriving control message before anybody reads its body. */
public final class ControlMessages {
    private ControlMessages() {}

    /**
     * Checks the header and leaves the message's position at the body.
     *
     * @return the type
     * @throws TransportException code PROTOCOL, naming the field and its value
     */
    public static ControlType check(ByteBuffer message) {
        if (message.remaining() < ControlLayout.HEADER_LENGTH) {
            throw wrong("has " + message.remaining() + " bytes, less than its header");
        }
        int code = ControlLayout.typeCode(message);
        ControlType type = ControlType.of(code);
        int version = ControlLayout.version(message);
        if (version != ControlLayout.VERSION) {
            throw wrong("type=" + code + " has version=" + version + ", known is " + ControlLayout.VERSION);
        }
        if (type == null) {
            throw wrong("has unknown type=" + code);
        }
        int bodyLength = ControlLayout.bodyLength(message);
        if (bodyLength != message.remaining() - ControlLayout.HEADER_LENGTH || !type.allows(bodyLength)) {
            throw wrong("type=" + type + " states length=" + bodyLength + " and has "
                    + (message.remaining() - ControlLayout.HEADER_LENGTH));
        }
        message.position(message.position() + ControlLayout.HEADER_LENGTH);
        return type;
    }

    private static TransportException wrong(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "control message " + what);
    }
}
