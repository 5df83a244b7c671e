package io.rocketbufs.rocketnet;

import java.net.InetSocketAddress;

/** The passive side of connections, which accepts them until it is closed. */
public interface TransportListener extends AutoCloseable {
    /** Returns the address in use; if port 0 was requested, with the port that was chosen. */
    InetSocketAddress address();

    /** Stops accepting; established connections stay open. Idempotent. */
    @Override
    void close();
}
