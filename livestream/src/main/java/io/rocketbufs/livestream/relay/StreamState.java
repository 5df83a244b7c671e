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
 */
public record StreamState(
        String name,
        String container,
        String codecs,
        long chunks,
        long receivedBytes,
        long chunkAgeMs,
        long capacity) {}
