package io.rocketbufs.rocketnet.tcp;

/** The notifications from a socket to its user, delivered on the worker's thread. A notification may be spurious. */
interface TcpReadiness {
    /**
     * Called when there is data to read or a connection to accept.
     *
     * @param ended true if the kernel has reported the end of the stream or an error. In that case, more data may
     *     follow a short read, so the user must keep reading until no data is available or the end is reached
     */
    void readable(boolean ended);

    /** Called when there is space to write, or when a connection attempt has ended. */
    void writable();
}
