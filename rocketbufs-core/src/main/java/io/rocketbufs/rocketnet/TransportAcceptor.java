package io.rocketbufs.rocketnet;

/** A supplier of handlers for new connections. */
@FunctionalInterface
public interface TransportAcceptor {
    /**
     * Called on a new connection's worker when the connection is established, before any of its events.
     *
     * @return the handler of the connection's events
     */
    TransportHandler established(TransportConnection connection);
}
