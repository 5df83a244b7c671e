package io.rocketbufs.rbmq;

import java.net.InetSocketAddress;

/**
 * The broker's admin interface over HTTP.
 *
 * @param enabled false leaves it out
 * @param host name or address
 * @param port 0 takes any free one
 */
public record AdminSettings(boolean enabled, String host, int port) {
    /** Looks the host up. */
    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }
}
