package io.rocketbufs.options;

/** How a grant has ended. In each case, nothing that the peer does reaches the memory any more. */
public enum Revocation {
    /** The peer has confirmed that it no longer uses the memory. */
    CONFIRMED,
    /** The peer has not confirmed in time, and its access has been ended, if necessary together with the connection. */
    FORCED,
    /** The connection has ended. */
    CONNECTION_CLOSED
}
