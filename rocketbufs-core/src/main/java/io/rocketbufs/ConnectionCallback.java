package io.rocketbufs;

/** The callback invoked with each new connection. */
@FunctionalInterface
public interface ConnectionCallback {
    /**
     * Called when a connection is established and the peer has greeted. It runs on the connection's worker, before any
     * other event of the connection, so an RIn or ROut attached here misses nothing. An exception refuses the
     * connection, and its message is sent to the peer.
     */
    void onConnection(Connection connection);
}
