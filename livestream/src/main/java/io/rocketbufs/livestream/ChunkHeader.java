package io.rocketbufs.livestream;

/**
 * What a chunk's header says.
 *
 * @param stream id of the buffer
 * @param generation of the description that is valid for it
 * @param sequence counts the chunks of a life of a stream
 * @param startMs since 1970: when its first picture was taken, as far as the relay can tell
 * @param durationUs microseconds
 * @param flags {@link ChunkLayout#KEY_FRAME}, {@link ChunkLayout#DISCONTINUITY}
 * @param length bytes of the payload
 */
public record ChunkHeader(
        int stream, int generation, long sequence, long startMs, int durationUs, int flags, int length) {

    /** Begins with a key frame. */
    public boolean isKeyFrame() {
        return (flags & ChunkLayout.KEY_FRAME) != 0;
    }

    /** Does not continue the chunk before it. */
    public boolean isDiscontinuity() {
        return (flags & ChunkLayout.DISCONTINUITY) != 0;
    }
}
