package io.rocketbufs.rocketnet.tcp;

/** What a socket tells its user, on the worker's thread. May be told needlessly. */
interface TcpReadiness {
    /**
     * There is something to read, or to accept.
     *
     * @param ended true when the end is near, so that a read of less than asked for proves nothing: read until nothing
     *     or the end comes
     */
    void readable(boolean ended);

    /** There is space to write, or connecting has come to its end. */
    void writable();
}
