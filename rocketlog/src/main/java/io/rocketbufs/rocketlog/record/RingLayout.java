package io.rocketbufs.rocketlog.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The layout of an in-memory log: a ring of segments, the oldest of which is reused for the newest batches. Peers read
 * this memory directly at any time, so the memory also describes its own contents. All numbers are big-endian.
 *
 * <pre>
 *  0                          8                        16                                  128       4096
 *  +--------------------------+------------------------+-----------------------------------+---------+------------
 *  | int64 base offset of     | int64 where its last   | the same for segments 1 to 7      | zero    | segments
 *  | segment 0, -1 if reused  | batch ends             |                                   |         | 0 to 7
 *  +--------------------------+------------------------+-----------------------------------+---------+------------
 * </pre>
 *
 * <p>The batches of a segment start at its beginning and follow each other without gaps. The rest of the segment is
 * zero. Segment <i>i</i> + 1 continues segment <i>i</i>, and segment 0 continues segment 7, if the base offset of the
 * later segment equals the next offset of the earlier one. To reuse a segment, the writer performs these steps in
 * order: it sets the base offset to -1, sets the end to 0, clears the bytes, sets the new base offset, and then stores
 * batches. A reader that reads the base offset before the end, or both at once, therefore never combines a new base
 * offset with the end of earlier batches.
 *
 * <p>To detect reuse, a reader must read the words after the bytes of the batches. If the segment still has the base
 * offset that the reader expects, none of these bytes were overwritten while they were read. The CRC of a batch alone
 * does not prove this, because it does not cover the base offset.
 *
 * <p><i>Thread-safety:</i> only one thread at a time may write. Words are stored with release semantics, after the
 * bytes that they announce.
 */
public final class RingLayout {
    /** Number of segments. */
    public static final int SEGMENTS = 8;

    /** Length of the header before the segments, in bytes. */
    public static final int HEADER_LENGTH = 4096;

    /** Length of the part of the header that readers need, in bytes. */
    public static final int WORDS_LENGTH = SEGMENTS * 2 * Long.BYTES;

    /** The unit of segment lengths, in bytes. The length of a segment is a multiple of this unit. */
    public static final int UNIT = 4096;

    /** The base offset of a segment that is unused or is being reused. */
    public static final long NONE = -1;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private RingLayout() {}

    /** Returns the length of the whole memory, in bytes. */
    public static long length(int segmentLength) {
        return HEADER_LENGTH + (long) SEGMENTS * segmentLength;
    }

    /** Returns the offset of a segment in the memory. */
    public static long segment(int index, int segmentLength) {
        return HEADER_LENGTH + (long) index * segmentLength;
    }

    /** Returns the index of the segment that is used after the given segment. */
    public static int following(int index) {
        return (index + 1) % SEGMENTS;
    }

    private static int place(int index) {
        return index * 2 * Long.BYTES;
    }

    /** Returns the base offset of a segment, or {@link #NONE}. */
    public static long baseOffset(ByteBuffer words, int index) {
        return (long) WORD.getAcquire(words, place(index));
    }

    /** Returns the position after the last batch of a segment, relative to the segment. */
    public static long end(ByteBuffer words, int index) {
        return (long) WORD.getAcquire(words, place(index) + Long.BYTES);
    }

    /** Announces that the bytes of a segment will change. */
    public static void beginReuse(ByteBuffer words, int index) {
        WORD.setRelease(words, place(index), NONE);
        VarHandle.fullFence(); // stores to the segment must not become visible before the word
        WORD.setRelease(words, place(index) + Long.BYTES, 0L);
    }

    /** Announces an empty segment, whose bytes are zero. */
    public static void begin(ByteBuffer words, int index, long baseOffset) {
        WORD.setRelease(words, place(index), baseOffset);
    }

    /** Announces all batches before a position. */
    public static void publish(ByteBuffer words, int index, long end) {
        WORD.setRelease(words, place(index) + Long.BYTES, end);
    }
}
