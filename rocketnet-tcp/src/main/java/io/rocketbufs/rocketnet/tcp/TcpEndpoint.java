package io.rocketbufs.rocketnet.tcp;

/** A worker's resource that must be closed before the worker ends. Both methods are called on the worker. */
interface TcpEndpoint {
    /**
     * Called when the transport is being closed. Notifies the user. A connection then waits for its user to close it;
     * other endpoints close immediately.
     */
    void abort();

    /** Closes the endpoint immediately. Idempotent. */
    void close();
}
