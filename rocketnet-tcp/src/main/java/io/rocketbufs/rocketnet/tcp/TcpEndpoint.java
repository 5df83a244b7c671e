package io.rocketbufs.rocketnet.tcp;

/** What lives on a worker and has to end with it. Both methods are called on the worker. */
interface TcpEndpoint {
    /** The transport is being closed: reports that and has itself closed soon. */
    void abort();

    /** Closes at once. Idempotent. */
    void close();
}
