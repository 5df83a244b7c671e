package io.rocketbufs.rocketnet;

/** What became of an operation handed to a {@link TransportConnection}: back-pressure is a value, not an exception. */
public enum PostResult {
    /** Accepted, and the local memory may be reused at once. */
    SENT,
    /** Accepted; the local memory stays in use until the completion. */
    POSTED,
    /** Not accepted, nothing changed: plan anew after {@link TransportHandler#writable()}. */
    NO_WINDOW,
    /** Not accepted: the connection is broken or closed. {@link TransportHandler#failed} tells why. */
    CLOSED
}
