package io.rocketbufs.rocketnet;

import java.net.InetSocketAddress;

/** The passive side of a transport, which accepts connections until it is closed. */
public interface TransportListener extends AutoCloseable {
    /** Returns the address that this listener is bound to. If port 0 was requested, it contains the assigned port. */
    InetSocketAddress address();

    /**
     * Returns a description of this listener's place in one line of text, from which a peer's
     * {@link TransportProvider#route} determines whether it can reach the listener; at most 1,024 bytes of UTF-8. Null
     * if peers should not be told.
     */
    default String place() {
        return null;
    }

    /** Stops accepting connections. Established connections stay open. Idempotent. */
    @Override
    void close();
}
