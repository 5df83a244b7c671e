package io.rocketbufs.rbmq;

import java.net.InetSocketAddress;

/**
 * Where the broker listens, once.
 *
 * @param transport name of the transport
 * @param host name or address
 * @param port 0 takes any free one
 */
public record ListenerSettings(String transport, String host, int port) {
    /** Looks the host up. */
    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }
}
