package io.rocketbufs.rocketnet.shm;

/** The owner of a socket watched by a worker. All methods are called on the worker. */
interface ShmEndpoint {
    /** Called when the socket is readable or its peer has disconnected. Spurious calls are allowed. */
    void ready();

    /** Called when the transport is being closed. */
    void abort();

    /** Releases all resources. */
    void close();

    /** Ends this endpoint even though the user may still be sending. Keeps the resources that a sender uses. */
    default void abandon() {
        close();
    }
}
