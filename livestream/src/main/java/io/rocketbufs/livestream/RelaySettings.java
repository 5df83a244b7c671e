package io.rocketbufs.livestream;

import java.util.List;

/**
 * The settings of a relay.
 *
 * @param host host name or address on which the relay listens for edges
 * @param port port on which the relay listens for edges; 0 selects any free port
 * @param credentials tokens, one of which each edge must present; if there are none, every edge is accepted
 * @param capacity capacity of each stream's buffer in bytes
 * @param chunkLimit maximum length of a chunk in bytes, including header and trailer
 * @param maxStreams maximum number of simultaneous streams
 * @param ingest settings of the ingest
 * @param metricsToken token that a client must present to read the metrics; if empty, only clients on this machine can
 *     read them
 */
public record RelaySettings(
        String host,
        int port,
        List<String> credentials,
        long capacity,
        int chunkLimit,
        int maxStreams,
        IngestSettings ingest,
        String metricsToken) {

    /** Returns the settings with three asterisks in place of the token, and only the number of credentials. */
    @Override
    public String toString() {
        return "RelaySettings[host=" + host + ", port=" + port + ", credentials=(" + credentials.size()
                + "), capacity=" + capacity + ", chunkLimit=" + chunkLimit + ", maxStreams=" + maxStreams + ", ingest="
                + ingest + ", metricsToken=" + EdgeSettings.hidden(metricsToken) + "]";
    }
}
