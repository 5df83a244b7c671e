package io.rocketbufs.rocketlog.client;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketlog.client.ConsumerLink.SegmentLink;
import io.rocketbufs.rocketlog.record.RingLayout;
import java.nio.ByteBuffer;

/**
 * A consumer's place in a partition that the broker keeps in memory. Consists of the segment that the consumer reads,
 * and the words of the ring as last read ({@link RingLayout}).
 *
 * <p>The broker reuses segments without waiting for consumers. The consumer therefore reads the words after the bytes
 * of a segment; because reads are executed in posting order, this takes only one round trip. If the words still contain
 * the segment's base offset, the bytes belong to this segment.
 *
 * <p><i>Thread-safety:</i> one thread. <i>Ownership:</i> owns its memory.
 */
final class RingPlace {
    /**
     * Number of bytes to read at a position where no batch is known yet, so that a short batch arrives in one round
     * trip.
     */
    private static final int LOOK_AHEAD = 4096;

    private static final int NOT_FOUND = -1;

    private final int segmentLength;
    private final Region memory;
    private final ByteBuffer words;
    private long baseOffset;
    private int index = NOT_FOUND;
    private boolean hasWords;

    /** @param baseOffset base offset of the segment that contains the next record */
    RingPlace(int segmentLength, long baseOffset, MemoryPool pool) {
        this.segmentLength = segmentLength;
        this.baseOffset = baseOffset;
        this.memory = pool.allocate(RingLayout.WORDS_LENGTH);
        this.words = memory.window(0, RingLayout.WORDS_LENGTH);
    }

    /** Returns true once the words have been read. */
    boolean hasWords() {
        return hasWords;
    }

    /** Returns true once the segment has been found in the ring. */
    boolean isFound() {
        return index != NOT_FOUND;
    }

    /** Returns the place in the ring that corresponds to a position in the segment. */
    long place(long position) {
        return RingLayout.segment(index, segmentLength) + position;
    }

    /**
     * Returns the number of bytes to read at a position where no batch is known yet; 0 until the segment has been
     * found.
     */
    int lookAhead(long position) {
        return isFound() ? (int) Math.min(LOOK_AHEAD, segmentLength - position) : 0;
    }

    /**
     * Posts a read of the words, after the read of a segment. Returns false if the broker has revoked access to the
     * memory.
     */
    boolean postWords(ConsumerLink link, SegmentLink ring) throws InterruptedException {
        return link.postRead(ring, 0, RingLayout.WORDS_LENGTH, memory, 0);
    }

    /**
     * Finds the segment in the words that have been read, unless it has already been found. Returns false if the broker
     * has reused the segment's memory.
     */
    boolean isThere() {
        hasWords = true;
        if (!isFound()) {
            index = indexOf(baseOffset);
        }
        return isFound() && RingLayout.baseOffset(words, index) == baseOffset;
    }

    /** Returns the position at which the last batch in the segment ends. */
    long end() {
        return RingLayout.end(words, index);
    }

    int segmentLength() {
        return segmentLength;
    }

    /** Moves to the following segment if its base offset is the given offset. Returns false otherwise. */
    boolean follow(long nextOffset) {
        return RingLayout.baseOffset(words, RingLayout.following(index)) == nextOffset && moveTo(nextOffset);
    }

    /** Moves to the segment whose base offset is the given offset. Returns false if there is none. */
    boolean moveTo(long offset) {
        int found = indexOf(offset);
        if (found != NOT_FOUND) {
            index = found;
            baseOffset = offset;
        }
        return found != NOT_FOUND;
    }

    /**
     * Returns the lowest base offset that is greater than the given offset, or {@link RingLayout#NONE} if there is
     * none. Ignores earlier segments, whose words may have been read before they changed.
     */
    long oldestAfter(long offset) {
        long oldest = RingLayout.NONE;
        for (int i = 0; i < RingLayout.SEGMENTS; i++) {
            long base = RingLayout.baseOffset(words, i);
            if (base > offset && (oldest == RingLayout.NONE || base < oldest)) {
                oldest = base;
            }
        }
        return oldest;
    }

    private int indexOf(long offset) {
        for (int i = 0; i < RingLayout.SEGMENTS; i++) {
            if (RingLayout.baseOffset(words, i) == offset) {
                return i;
            }
        }
        return NOT_FOUND;
    }

    /** Frees the memory. */
    void release() {
        memory.release();
    }
}
