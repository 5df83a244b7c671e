package io.rocketbufs.livestream.media;

import java.nio.ByteBuffer;

/**
 * A scanner that determines a chunk's properties as the chunk arrives.
 *
 * <p><b>Thread-safety:</b> one thread at a time.
 */
public interface MediaScanner {
    /**
     * Scans the next bytes, from the buffer's position to its limit, without changing either.
     *
     * @throws MediaException if the media is invalid
     */
    void scan(ByteBuffer bytes);

    /**
     * Completes the scan and returns the chunk's properties.
     *
     * @throws MediaException if the chunk is truncated or cannot be played
     */
    ChunkFacts finish();
}
