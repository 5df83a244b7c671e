package io.rocketbufs.rocketnet;

import java.net.InetSocketAddress;

/** The passive side of a transport, which accepts connections until it is closed. */
public interface TransportListener extends AutoCloseable {
    /**
     * Returns the address to which this listener is bound. If port 0 was requested, the address contains the assigned
     * port.
     */
    InetSocketAddress address();

    /**
     * Returns a description of this listener's location, in one line of at most 1,024 bytes of UTF-8; null to send
     * peers no description. A peer's {@link TransportProvider#route} determines from the description whether the peer
     * can reach the listener.
     */
    default String place() {
        return null;
    }

    /** Stops accepting connections. Established connections stay open. Idempotent. */
    @Override
    void close();
}
