package io.rocketbufs.rocketnet;

import java.net.InetSocketAddress;

/** The passive side: accepts connections until it is closed. */
public interface TransportListener extends AutoCloseable {
    /** The address in use, with the port that was chosen when 0 was asked for. */
    InetSocketAddress address();

    /** Stops accepting; established connections live on. Idempotent. */
    @Override
    void close();
}
