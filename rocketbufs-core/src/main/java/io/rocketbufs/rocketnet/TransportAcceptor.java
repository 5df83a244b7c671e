package io.rocketbufs.rocketnet;

/** Supplies the handler of a new connection. */
@FunctionalInterface
public interface TransportAcceptor {
    /**
     * A connection is established. Called on its worker, before anything else of it is reported.
     *
     * @return what shall receive the connection's events
     */
    TransportHandler established(TransportConnection connection);
}
