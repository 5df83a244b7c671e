package io.rocketbufs.livestream;

import java.net.InetSocketAddress;

/**
 * How an edge works.
 *
 * @param relayHost name or address of the relay
 * @param relayPort of that
 * @param token what the edge presents to the relay
 * @param host name or address where viewers come
 * @param port of that; 0 takes any free one
 * @param relayTimeoutMs how long a lost relay is waited for before its streams have ended
 * @param keepMs how long the chunks of an ended stream stay
 * @param idleTimeoutMs a viewer's connection on which nothing happens for this long is closed
 * @param maxConnections how many connections of viewers there may be at a time
 * @param metricsToken what whoever reads the metrics presents; empty shows them to this machine alone
 */
public record EdgeSettings(
        String relayHost,
        int relayPort,
        String token,
        String host,
        int port,
        long relayTimeoutMs,
        long keepMs,
        long idleTimeoutMs,
        int maxConnections,
        String metricsToken) {

    /** These with another relay. */
    public EdgeSettings withRelay(InetSocketAddress relay) {
        return new EdgeSettings(
                relay.getHostString(),
                relay.getPort(),
                token,
                host,
                port,
                relayTimeoutMs,
                keepMs,
                idleTimeoutMs,
                maxConnections,
                metricsToken);
    }
}
