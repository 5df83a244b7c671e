package io.rocketbufs.rocketnet;

import java.net.InetSocketAddress;

/** The passive side of a transport, which accepts connections until it is closed. */
public interface TransportListener extends AutoCloseable {
    /** Returns the address that this listener is bound to. If port 0 was requested, it contains the assigned port. */
    InetSocketAddress address();

    /**
     * Returns where this listener is, in one line of text by which {@link TransportProvider#route} of a peer judges
     * whether it can be reached; at most 1,024 bytes of UTF-8. Null if peers should not be told.
     */
    default String place() {
        return null;
    }

    /** Stops accepting connections. Established connections stay open. Idempotent. */
    @Override
    void close();
}
