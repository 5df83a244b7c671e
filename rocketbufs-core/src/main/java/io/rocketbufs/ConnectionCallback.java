package io.rocketbufs;

/** Is told about a new connection. */
@FunctionalInterface
public interface ConnectionCallback {
    /**
     * A connection is established and the peer has greeted. Called on the connection's worker before anything else of
     * it is handled, so an RIn or ROut attached here misses nothing. Whatever it throws refuses the connection, and the
     * peer is told the message.
     */
    void onConnection(Connection connection);
}
