package io.rocketbufs.livestream;

/**
 * The header of a chunk.
 *
 * @param stream id of the buffer that carries the stream
 * @param generation generation of the stream description that applies to the chunk
 * @param sequence number of the chunk within the current life of the stream
 * @param startMs time at which the first frame was captured, in milliseconds since 1970, as estimated by the relay
 * @param durationUs duration of the chunk in microseconds
 * @param flags any combination of {@link ChunkLayout#KEY_FRAME} and {@link ChunkLayout#DISCONTINUITY}
 * @param length length of the payload in bytes
 */
public record ChunkHeader(
        int stream, int generation, long sequence, long startMs, int durationUs, int flags, int length) {

    /** Returns true if the chunk starts with a key frame. */
    public boolean isKeyFrame() {
        return (flags & ChunkLayout.KEY_FRAME) != 0;
    }

    /** Returns true if the chunk does not continue the previous one. */
    public boolean isDiscontinuity() {
        return (flags & ChunkLayout.DISCONTINUITY) != 0;
    }
}
