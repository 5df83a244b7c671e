package io.rocketbufs.livestream;

import java.net.InetSocketAddress;

/**
 * The settings of an edge.
 *
 * @param relayHost name or address of the relay
 * @param relayPort port of the relay
 * @param token token that the edge presents to the relay
 * @param host host name or address on which the edge listens for viewers
 * @param port port on which the edge listens for viewers; 0 selects any free port
 * @param relayTimeoutMs time in milliseconds to wait for a reconnection to a lost relay before its streams end
 * @param keepMs time in milliseconds for which the chunks of an ended stream are kept
 * @param idleTimeoutMs time in milliseconds after which an idle viewer connection is closed
 * @param maxConnections maximum number of simultaneous viewer connections
 * @param metricsToken token that a client must present to read the metrics; if empty, only clients on this machine can
 *     read them
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

    /** Returns a copy that connects to the given relay. */
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

    /** Returns the settings with three asterisks in place of each token. */
    @Override
    public String toString() {
        return "EdgeSettings[relayHost=" + relayHost + ", relayPort=" + relayPort + ", token=" + hidden(token)
                + ", host=" + host + ", port=" + port + ", relayTimeoutMs=" + relayTimeoutMs + ", keepMs=" + keepMs
                + ", idleTimeoutMs=" + idleTimeoutMs + ", maxConnections=" + maxConnections + ", metricsToken="
                + hidden(metricsToken) + "]";
    }

    /** Returns three asterisks in place of a secret; an empty secret is returned unchanged. */
    static String hidden(String secret) {
        return secret.isEmpty() ? "" : "***";
    }
}
