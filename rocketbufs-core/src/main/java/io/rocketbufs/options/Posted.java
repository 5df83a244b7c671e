package io.rocketbufs.options;

/** The result of posting a one-sided operation. */
public enum Posted {
    /** Accepted. The local memory stays in use until the operation has completed. */
    POSTED,
    /** Not accepted, and nothing has changed: try again after {@link RemoteMemoryCallback#onSpace}. */
    NO_WINDOW,
    /** Not accepted: the memory has been revoked, or the connection has ended. */
    CLOSED
}
