package io.rocketbufs.rocketnet;

/**
 * A failure of a connection or of the underlying network. The message names the operation and the peer, and includes
 * the provider's error text.
 */
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The kind of failure, the same for every transport. */
    public enum Code {
        /** No process listens on the address, or the remote system rejected the connection. */
        NO_LISTENER,
        /** The peer refused the connection or a request. */
        REFUSED,
        /** The address or name cannot be used or reached. */
        UNREACHABLE,
        /** The local address is in use. */
        ADDRESS_IN_USE,
        /** The peer has terminated or closed the connection. */
        PEER_LOST,
        /** The peer violated the protocol. */
        PROTOCOL,
        /** An operation exceeded its time limit. */
        TIMEOUT,
        /** The connection was closed on this side. */
        CLOSED,
        /** The transport cannot be used on this machine. */
        UNAVAILABLE,
        /**
         * Descriptors, memory, queue entries or the connections that the peer currently accepts are exhausted. A later
         * attempt may succeed.
         */
        RESOURCES,
        /** Any other failure that the provider reported. */
        IO
    }

    /** The kind of failure. */
    private final Code code;
    /** Name of the protocol that the peer speaks instead; null if it is unknown. */
    private final String otherProtocol;
    /** True if the peer has closed the connection and stated the reason. */
    private final boolean isDeliberate;

    /** Creates a failure without a cause. */
    public TransportException(Code code, String message) {
        this(code, message, null);
    }

    /** Creates a failure with its cause. */
    public TransportException(Code code, String message, Throwable cause) {
        this(code, message, null, false, cause);
    }

    private TransportException(Code code, String message, String otherProtocol, boolean isDeliberate, Throwable cause) {
        super(message, cause);
        this.code = code;
        this.otherProtocol = otherProtocol;
        this.isDeliberate = isDeliberate;
    }

    /**
     * Returns the failure of a connection whose peer speaks another, well-known protocol.
     *
     * @param peer the peer's address
     * @param protocol name of the protocol, such as "HTTP"
     */
    public static TransportException otherProtocol(String peer, String protocol) {
        return new TransportException(Code.PROTOCOL, peer + " speaks " + protocol, protocol, false, null);
    }

    /** Returns the failure of a connection that the peer closed while stating the reason. */
    public static TransportException deliberate(Code code, String message) {
        return new TransportException(code, message, null, true, null);
    }

    /**
     * Returns a copy of this failure with a different message, the caller's stack trace, and this failure as its cause.
     */
    public TransportException withMessage(String message) {
        return new TransportException(code, message, otherProtocol, isDeliberate, this);
    }

    /**
     * Returns true if the peer closed the connection and stated the reason. In this case, neither the network nor the
     * transport failed.
     */
    public boolean isDeliberate() {
        return isDeliberate;
    }

    /**
     * Returns true if an exception in this program, rather than the network or the peer, ended the connection. The
     * stack trace of the cause helps to find the bug.
     */
    public boolean isInternal() {
        Throwable cause = getCause();
        if (cause instanceof TransportException original) {
            return original.isInternal();
        }
        return code == Code.PROTOCOL && (cause instanceof RuntimeException || cause instanceof Error);
    }

    /**
     * Returns the name of the other protocol that the peer speaks, such as "HTTP"; null if the failure has a different
     * cause, or the protocol was not recognized.
     */
    public String otherProtocol() {
        return otherProtocol;
    }

    /** Returns the kind of failure. */
    public Code code() {
        return code;
    }
}
