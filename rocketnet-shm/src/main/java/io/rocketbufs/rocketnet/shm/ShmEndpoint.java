package io.rocketbufs.rocketnet.shm;

/** The owner of a socket that a worker watches. All methods are called on the worker. */
interface ShmEndpoint {
    /** Called when the socket is readable, or its peer has ended. Spurious calls are allowed. */
    void ready();

    /** Called when the transport is being closed. */
    void abort();

    /** Releases everything. */
    void close();

    /** Ends although the user may still be sending. Keeps the resources that a sender uses. */
    default void abandon() {
        close();
    }
}
