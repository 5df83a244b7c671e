package io.rocketbufs.livestream.page;

import java.util.List;

/**
 * The counters of a relay or an edge at one time.
 *
 * @param obstacle why the server is not ready; null if it is
 * @param streams its streams
 * @param peers the edges of a relay, or the viewers of an edge
 * @param receivedBytes bytes of media received since the start
 * @param sentBytes bytes of media sent since the start
 * @param lostBytes bytes of media since the start that edges did not receive
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
     * @param name name of the stream; one that ends and begins again may keep it
     * @param state "live", "waiting" before the first chunk, "ended", or "refused" if only refused data has arrived
     * @param codecs codecs in the notation of RFC 6381; empty if unknown
     * @param peers number of edges or viewers
     * @param chunks number of chunks since the stream began
     * @param receivedBytes bytes of media since the stream began
     * @param chunkAgeMs milliseconds since the newest chunk was complete; -1 before the first one
     * @param behindMs by how many milliseconds the next chunk is late; 0 if it is not, or if the stream has ended
     * @param refusals recent refusals of data from the source
     * @param refusal the reason of the last one; null if there are none
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

        /** Returns by how much a chunk is late if its stream's chunks have the given duration. */
        public static long latenessMs(long chunkAgeMs, long durationMs) {
            return Math.max(0, chunkAgeMs - durationMs);
        }
    }

    /**
     * An edge or a viewer.
     *
     * @param address address, which identifies it
     * @param connectedMs milliseconds since it connected
     * @param stream the stream that a viewer watches; null for an edge
     * @param sentBytes bytes of media sent to it
     * @param waitingBytes bytes of media that wait for it
     * @param lostBytes bytes of media that were skipped for it
     */
    public record PeerFacts(
            String address, long connectedMs, String stream, long sentBytes, long waitingBytes, long lostBytes) {}
}
