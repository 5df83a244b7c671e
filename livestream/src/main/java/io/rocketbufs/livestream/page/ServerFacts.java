package io.rocketbufs.livestream.page;

import java.util.List;

/**
 * The counters of a relay or an edge at one point in time.
 *
 * @param obstacle why the server is not ready; null if it is ready
 * @param streams the server's streams
 * @param peers the edges of a relay, or the viewers of an edge
 * @param receivedBytes bytes of media received since the start
 * @param sentBytes bytes of media sent since the start
 * @param lostBytes bytes of media that edges have not received since the start
 */
public record ServerFacts(
        String obstacle,
        List<StreamFacts> streams,
        List<PeerFacts> peers,
        long receivedBytes,
        long sentBytes,
        long lostBytes) {

    /**
     * A stream.
     *
     * @param name name of the stream; a stream that ends and restarts may keep its name
     * @param state "live", "waiting" before the first chunk, "ended", or "refused" if only refused data has arrived
     * @param codecs codecs in the notation of RFC 6381; empty if unknown
     * @param peers number of edges or viewers
     * @param chunks number of chunks since the stream started
     * @param receivedBytes bytes of media since the stream started
     * @param chunkAgeMs milliseconds since the newest chunk was completed; -1 before the first chunk is complete
     * @param behindMs number of milliseconds by which the next chunk is late; 0 if it is on time or the stream has
     *     ended
     * @param refusals recent refusals of data from the source
     * @param refusal reason for the last refusal; null if there are no refusals
     */
    public record StreamFacts(
            String name,
            String state,
            String codecs,
            int peers,
            long chunks,
            long receivedBytes,
            long chunkAgeMs,
            long behindMs,
            long refusals,
            String refusal) {

        /** Returns by how many milliseconds the next chunk is late in a stream whose chunks have the given duration. */
        public static long latenessMs(long chunkAgeMs, long durationMs) {
            return Math.max(0, chunkAgeMs - durationMs);
        }
    }

    /**
     * An edge or a viewer.
     *
     * @param address address that identifies the edge or viewer
     * @param connectedMs milliseconds since it connected
     * @param stream the stream that a viewer watches; null for an edge
     * @param sentBytes bytes of media sent to it
     * @param waitingBytes bytes of media that are waiting for it
     * @param lostBytes bytes of media that were skipped for it
     */
    public record PeerFacts(
            String address, long connectedMs, String stream, long sentBytes, long waitingBytes, long lostBytes) {}
}
