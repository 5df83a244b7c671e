package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.text.PlainText;
import java.io.IOException;

/** A TLS failure on one connection. The message states the reason and the remedy, but not the peer. */
final class TlsFailure extends IOException {
    private static final long serialVersionUID = 1L;
    /** Maximum length of a reason in characters. */
    private static final int MAX_LENGTH = 500;

    /** The kind of failure. */
    private final Code code;
    /** Name of the protocol that the peer speaks instead of TLS, or null if unknown. */
    private final String otherProtocol;

    TlsFailure(Code code, String reason) {
        this(code, reason, null);
    }

    TlsFailure(Code code, String reason, String otherProtocol) {
        super(shown(reason));
        this.code = code;
        this.otherProtocol = otherProtocol;
    }

    /**
     * Removes control characters from a reason and limits its length, because certificates may contain arbitrary text.
     */
    private static String shown(String reason) {
        String plain = PlainText.of(reason);
        return plain.length() <= MAX_LENGTH ? plain : plain.substring(0, MAX_LENGTH) + "...";
    }

    /** Returns the kind of failure. */
    Code code() {
        return code;
    }

    /** Returns the name of the other protocol that the peer speaks, or null if unknown. */
    String otherProtocol() {
        return otherProtocol;
    }
}
