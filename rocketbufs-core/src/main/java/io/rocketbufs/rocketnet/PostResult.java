package io.rocketbufs.rocketnet;

/**
 * The result of an operation passed to a {@link TransportConnection}. Back-pressure is reported as a value, not as an
 * exception.
 */
public enum PostResult {
    /** Accepted; the local memory may be reused immediately. */
    SENT,
    /** Accepted; the local memory stays in use until the completion. */
    POSTED,
    /** Not accepted, and nothing has changed; retry after {@link TransportHandler#writable()}. */
    NO_WINDOW,
    /** Not accepted; the connection is broken or closed. {@link TransportHandler#failed} reports the reason. */
    CLOSED
}
