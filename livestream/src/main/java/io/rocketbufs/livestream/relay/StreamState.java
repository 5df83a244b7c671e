package io.rocketbufs.livestream.relay;

/**
 * A stream at the relay, for people.
 *
 * @param name of the stream
 * @param container of its chunks
 * @param codecs as RFC 6381 writes them
 * @param chunks that were complete
 * @param receivedBytes from its source
 * @param chunkAgeMs since the newest chunk was complete; -1 before the first
 * @param capacity bytes of its buffer
 * @param refused what was refused of it lately; null for nothing
 */
public record StreamState(
        String name,
        String container,
        String codecs,
        long chunks,
        long receivedBytes,
        long chunkAgeMs,
        long capacity,
        Refused refused) {

    /**
     * What the relay has refused of a stream.
     *
     * @param count of requests or connections
     * @param reason of the last one
     * @param ageMs since the last one
     */
    public record Refused(long count, String reason, long ageMs) {}

    /** Returns the state of a stream of which nothing has been taken. */
    static StreamState refusedOnly(String name, Refused refused) {
        return new StreamState(name, "", "", 0, 0, -1, 0, refused);
    }
}
