package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;

/**
 * Looks through a chunk while it arrives, and keeps what is worth knowing.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public interface MediaScanner {
    /**
     * Looks at the next bytes, from the buffer's position to its limit, which are left as they are.
     *
     * @throws MediaException when this cannot be what it should be
     */
    void scan(ByteBuffer bytes);

    /**
     * The chunk is complete.
     *
     * @throws MediaException when it is cut off, or nothing that could be played
     */
    ChunkFacts finish();
}
