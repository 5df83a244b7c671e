package io.rocketbufs;

/** The callback invoked with each new connection and able to refuse it. */
@FunctionalInterface
public interface ConnectionCallback {
    /**
     * Called when a connection is established and the peer's greeting has arrived. Runs on the connection's worker
     * before any other event of the connection, so an RIn or ROut attached here misses no event. Throwing an exception
     * refuses the connection and sends the exception's message to the peer, where {@link RocketBufs#connect} fails with
     * code REFUSED. If the exception is a {@link io.rocketbufs.rocketnet.TransportException TransportException} with
     * code RESOURCES, the connection is refused temporarily, and connecting fails with that code.
     */
    void onConnection(Connection connection);
}
