package io.rocketbufs.livestream;

import java.util.List;

/**
 * Where sources push streams to, and which.
 *
 * @param host name or address
 * @param port for HTTPS; 0 takes any free one
 * @param raw ports for MPEG-TS straight over TLS
 * @param keys of streams; empty lets everybody in
 * @param segmentMs how long chunks of endless streams shall be
 * @param sourceTimeoutMs a stream whose source is silent for this long has ended
 * @param idleTimeoutMs a connection on which nothing happens for this long is closed
 * @param maxConnections how many connections of sources there may be at a time
 */
public record IngestSettings(
        String host,
        int port,
        List<RawPort> raw,
        List<Key> keys,
        long segmentMs,
        long sourceTimeoutMs,
        long idleTimeoutMs,
        int maxConnections) {

    /**
     * A port for MPEG-TS over TLS.
     *
     * @param port 0 takes any free one
     * @param stream that comes there; empty takes it from the name that the source asks for
     */
    public record RawPort(int port, String stream) {}

    /**
     * Lets a source in.
     *
     * @param stream name, or "*" for all
     * @param key what the source presents
     */
    public record Key(String stream, String key) {}
}
