package io.rocketbufs.rocketnet.tcp;

/** The notifications of a socket to its user, on the worker's thread. They may be spurious. */
interface TcpReadiness {
    /**
     * Called when there is data to read or a connection to accept.
     *
     * @param ended true when the end of the stream or an error has been reported. A short read then does not mean that
     *     all data has been read: read until there is no data or the end is reached
     */
    void readable(boolean ended);

    /** Called when there is space to write, or when an attempt to connect has ended. */
    void writable();
}
