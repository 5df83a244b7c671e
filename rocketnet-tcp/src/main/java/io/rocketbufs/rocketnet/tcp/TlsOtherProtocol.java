package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.rocketnet.TransportException.Code;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The recognition of a peer that does not use TLS, based on the first bytes of the connection. */
final class TlsOtherProtocol {
    private static final int TLS_MAJOR_VERSION = 3;
    private static final int TLS_ALERT = 0x15;
    private static final int TLS_HANDSHAKE = 0x16;

    private TlsOtherProtocol() {}

    /** Returns the failure for a peer that does not use TLS, or null if the connection starts with TLS. */
    static TlsFailure of(ByteBuffer bytes, int length) {
        int first = bytes.get(0);
        boolean isTls = first == TLS_HANDSHAKE || first == TLS_ALERT;
        if (isTls && (length == 1 || bytes.get(1) == TLS_MAJOR_VERSION)) {
            return null;
        }
        if (length < Integer.BYTES) {
            return new TlsFailure(Code.PROTOCOL, "the peer does not use TLS");
        }
        int start = bytes.duplicate().order(ByteOrder.BIG_ENDIAN).getInt(0);
        String known = TcpOtherProtocol.of(start);
        return known == null
                ? new TlsFailure(
                        Code.PROTOCOL,
                        "the peer does not use TLS"
                                + (start == 0 ? ", but transport \"tcp\"; both sides need the same transport" : ""))
                : new TlsFailure(Code.PROTOCOL, "the peer speaks " + known, known);
    }
}
