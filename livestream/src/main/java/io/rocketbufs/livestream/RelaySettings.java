package io.rocketbufs.livestream;

import java.util.List;

/**
 * How a relay works.
 *
 * @param host name or address where it listens for edges
 * @param port of that; 0 takes any free one
 * @param credentials tokens of which an edge must present one; empty lets every edge in
 * @param capacity bytes of each stream's buffer
 * @param chunkLimit bytes of the longest chunk, with everything around the payload
 * @param maxStreams how many streams there may be at a time
 * @param ingest where sources push to
 * @param metricsToken what whoever reads the metrics presents; empty shows them to this machine alone
 */
public record RelaySettings(
        String host,
        int port,
        List<String> credentials,
        long capacity,
        int chunkLimit,
        int maxStreams,
        IngestSettings ingest,
        String metricsToken) {}
