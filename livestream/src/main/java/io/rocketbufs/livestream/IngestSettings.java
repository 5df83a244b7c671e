package io.rocketbufs.livestream;

import java.util.List;

/**
 * The settings of the ingest server, which receives the streams that sources push.
 *
 * @param host host name or address on which the ingest server listens for sources
 * @param port port for HTTPS; 0 selects any free port
 * @param raw ports that accept MPEG-TS directly over TLS, without HTTP
 * @param keys keys that sources present to push streams; if empty, every source is accepted
 * @param segmentMs intended duration in milliseconds of the chunks of endless streams
 * @param sourceTimeoutMs time in milliseconds without data from the source after which a stream ends
 * @param idleTimeoutMs time in milliseconds after which an idle connection is closed
 * @param maxConnections maximum number of simultaneous source connections
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
     * A port that accepts MPEG-TS directly over TLS.
     *
     * @param port port number; 0 selects any free port
     * @param stream name of the stream that is pushed to this port; if empty, the server name that the source requests
     *     determines the stream
     */
    public record RawPort(int port, String stream) {}

    /**
     * A key that allows a source to push a stream.
     *
     * @param stream name of the stream, or "*" for all streams
     * @param key key that the source presents
     */
    public record Key(String stream, String key) {
        /** Returns the stream's name with three asterisks in place of the key. */
        @Override
        public String toString() {
            return "Key[stream=" + stream + ", key=***]";
        }
    }
}
