package io.rocketbufs.livestream.relay;

/**
 * The state of a stream at the relay, for display.
 *
 * @param name name of the stream
 * @param container container format of the chunks
 * @param codecs codecs in the notation of RFC 6381
 * @param chunks number of complete chunks
 * @param receivedBytes number of bytes received from the source
 * @param chunkAgeMs milliseconds since the newest chunk was completed; -1 before the first chunk is complete
 * @param behindMs number of milliseconds by which the next chunk is late; 0 if it is on time
 * @param capacity capacity of the stream's buffer in bytes
 * @param refused recent refusals of the stream; null if there are none
 */
public record StreamState(
        String name,
        String container,
        String codecs,
        long chunks,
        long receivedBytes,
        long chunkAgeMs,
        long behindMs,
        long capacity,
        Refused refused) {

    /**
     * The refusals of a stream.
     *
     * @param count number of refused requests or connections
     * @param reason reason for the last refusal
     * @param ageMs milliseconds since the last refusal
     */
    public record Refused(long count, String reason, long ageMs) {}

    /** Returns the state of a stream for which there are only refusals. */
    static StreamState refusedOnly(String name, Refused refused) {
        return new StreamState(name, "", "", 0, 0, -1, 0, 0, refused);
    }
}
