package io.rocketbufs.options;

/**
 * The ways in which a grant can end. The peer then no longer accesses the memory. Memory that the transport shares with
 * a malicious process is an exception, which {@code Grant.revoke} describes.
 */
public enum Revocation {
    /** The peer has confirmed that it no longer uses the memory. */
    CONFIRMED,
    /** The peer has not confirmed in time, and its access has been ended, if necessary together with the connection. */
    FORCED,
    /** The connection has ended. */
    CONNECTION_CLOSED
}
