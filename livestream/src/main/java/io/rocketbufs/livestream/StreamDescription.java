package io.rocketbufs.livestream;

/**
 * The properties of a stream that an edge needs in addition to the stream's chunks.
 *
 * @param name name of the stream
 * @param epoch random number that identifies this life of the stream, needed because the next life reuses chunk numbers
 * @param sequenceBase playlist number of this life's first chunk; higher than all numbers of earlier lives
 * @param bufferId id of the buffer that carries the stream's chunks
 * @param capacity capacity of that buffer in bytes
 * @param chunkLimit maximum length of a chunk in bytes, including header and trailer
 * @param generation version number of the following values; each chunk refers to the version that applies to it
 * @param container container format of all chunks
 * @param targetDurationMs intended duration of the chunks, or the duration of the longest chunk so far if that is
 *     longer; never decreases
 * @param codecs codecs in the notation of RFC 6381; empty if unknown
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

    /** Returns a copy with the given generation, container, codecs and init segment. */
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

    /** Returns a copy with the given target duration. */
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
