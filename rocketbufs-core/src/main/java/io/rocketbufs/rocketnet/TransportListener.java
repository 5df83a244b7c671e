package io.rocketbufs.rocketnet;

import java.net.InetSocketAddress;

/** The passive side of a transport, which accepts connections until it is closed. */
public interface TransportListener extends AutoCloseable {
    /** Returns the address that this listener is bound to. If port 0 was requested, it contains the assigned port. */
    InetSocketAddress address();

    /** Stops accepting connections. Established connections stay open. Idempotent. */
    @Override
    void close();
}
