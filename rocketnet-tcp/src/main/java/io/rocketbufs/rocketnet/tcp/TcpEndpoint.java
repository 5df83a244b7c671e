package io.rocketbufs.rocketnet.tcp;

/** A resource of a worker that must be closed before the worker ends. Both methods are called on the worker. */
interface TcpEndpoint {
    /**
     * Called when the transport is being closed. Reports this to the user. A connection then waits until its user
     * closes it; other endpoints close immediately.
     */
    void abort();

    /** Closes immediately. Idempotent. */
    void close();
}
