package io.rocketbufs.livestream;

/**
 * The properties of a stream that an edge needs in addition to its chunks.
 *
 * @param name name of the stream
 * @param epoch a random number, different for each life of a stream; equal names and numbers in two lives denote
 *     different chunks
 * @param sequenceBase number of the first chunk of this life in playlists; higher than all numbers of earlier lives
 * @param bufferId id of the buffer that carries its chunks
 * @param capacity bytes of that buffer
 * @param chunkLimit length of the longest chunk in bytes, including header and trailer
 * @param generation number of the version of the following values; each chunk has the number of its version
 * @param container container format of all chunks
 * @param targetDurationMs intended duration of chunks, or that of the longest one so far; it only grows
 * @param codecs codecs in the notation of RFC 6381; empty when unknown
 * @param init init segment, which a player needs before the first chunk; empty for MPEG-TS
 */
public record StreamDescription(
        String name,
        long epoch,
        long sequenceBase,
        int bufferId,
        long capacity,
        int chunkLimit,
        int generation,
        Container container,
        int targetDurationMs,
        String codecs,
        byte[] init) {

    /** Returns a copy with other contents. */
    public StreamDescription as(int newGeneration, Container newContainer, String newCodecs, byte[] newInit) {
        return new StreamDescription(
                name,
                epoch,
                sequenceBase,
                bufferId,
                capacity,
                chunkLimit,
                newGeneration,
                newContainer,
                targetDurationMs,
                newCodecs,
                newInit);
    }

    /** Returns a copy with another target duration. */
    public StreamDescription withTargetDuration(int milliseconds) {
        return new StreamDescription(
                name,
                epoch,
                sequenceBase,
                bufferId,
                capacity,
                chunkLimit,
                generation,
                container,
                milliseconds,
                codecs,
                init);
    }
}
