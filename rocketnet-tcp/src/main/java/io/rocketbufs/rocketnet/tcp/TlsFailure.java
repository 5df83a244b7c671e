package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.rocketnet.TransportException.Code;
import java.io.IOException;

/** A failure of TLS on one connection. The message states the reason and the remedy, but not the peer. */
final class TlsFailure extends IOException {
    private static final long serialVersionUID = 1L;

    /** The kind of failure. */
    private final Code code;
    /** Name of the protocol that the peer speaks instead; null if it is not known. */
    private final String otherProtocol;

    TlsFailure(Code code, String reason) {
        this(code, reason, null);
    }

    TlsFailure(Code code, String reason, String otherProtocol) {
        super(reason);
        this.code = code;
        this.otherProtocol = otherProtocol;
    }

    /** Returns the kind of failure. */
    Code code() {
        return code;
    }

    /** Returns the name of the other protocol that the peer speaks; null if it is not known. */
    String otherProtocol() {
        return otherProtocol;
    }
}
