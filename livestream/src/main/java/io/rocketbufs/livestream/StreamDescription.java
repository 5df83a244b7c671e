package io.rocketbufs.livestream;

/**
 * What an edge must know of a stream besides its chunks.
 *
 * @param name of the stream
 * @param epoch a random number that every life of a stream has of its own: what is the same in two lives, is another
 *     thing all the same
 * @param sequenceBase number of the first chunk of this life in playlists; higher than all numbers of earlier lives
 * @param bufferId of the buffer that carries its chunks
 * @param capacity bytes of that buffer
 * @param chunkLimit bytes of the longest chunk, with everything around the payload
 * @param generation counts what follows; each chunk says which one it belongs to
 * @param container of all chunks
 * @param targetDurationMs how long chunks are meant to be, or the longest has been; it only grows
 * @param codecs as RFC 6381 writes them; empty when unknown
 * @param init what a player needs before the first chunk; empty for MPEG-TS
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

    /** This with another content. */
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

    /** Returns this with another target duration. */
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
