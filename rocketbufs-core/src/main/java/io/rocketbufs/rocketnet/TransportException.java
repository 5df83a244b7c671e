package io.rocketbufs.rocketnet;

/** A connection or the network below it failed. The message names the operation, the peer and the provider's text. */
public final class TransportException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What kind of failure it is, the same for every transport. */
    public enum Code {
        /** Nobody listens at the address, or it refused. */
        REFUSED,
        /** The address or name cannot be used or reached. */
        UNREACHABLE,
        /** The local address is taken. */
        ADDRESS_IN_USE,
        /** The peer is gone or cut the connection. */
        PEER_LOST,
        /** The peer broke the protocol. */
        PROTOCOL,
        /** Something took longer than its limit. */
        TIMEOUT,
        /** Closed on this side. */
        CLOSED,
        /** The transport cannot be used on this machine. */
        UNAVAILABLE,
        /** Descriptors, memory or queue entries ran out. */
        RESOURCES,
        /** Anything else the provider reported. */
        IO
    }

    /** What kind of failure it is. */
    private final Code code;

    /** Makes a failure without a cause. */
    public TransportException(Code code, String message) {
        this(code, message, null);
    }

    /** Makes a failure with its cause. */
    public TransportException(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** What kind of failure it is. */
    public Code code() {
        return code;
    }
}
