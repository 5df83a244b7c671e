package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;

/**
 * The layout of a message in a buffer: its length as a big-endian int, then its bytes. Messages follow each other
 * without padding, so small messages take little space. A message may be empty.
 *
 * <pre>
 *  0          4              4+length
 *  +----------+--------------+----------
 *  |  length  |  payload  …  |  length …
 *  +----------+--------------+----------
 * </pre>
 *
 * A publisher delivers whole messages, so every transfer consists of whole messages.
 *
 * <p>Bit 31 of the length is reserved for {@link #HEADERS_FOLLOW}. This version never sets it, so a negative length is
 * a protocol violation.
 */
public final class MessageLayout {
    /** Length of the header before the payload, in bytes. */
    public static final int HEADER_LENGTH = Integer.BYTES;

    /** The reserved bit of the length. A later version can set it in messages that have headers after the length. */
    public static final int HEADERS_FOLLOW = 1 << 31;

    /** Maximum length of a segment. */
    private static final long MAX_SEGMENT_LENGTH = 1L << 30;

    private MessageLayout() {}

    /** Returns the length of a message including its header. */
    public static int frameLength(int length) {
        return HEADER_LENGTH + length;
    }

    /** Returns the length of the longest message that fits into a buffer. */
    public static int longest(long capacity) {
        return (int) (Math.min(capacity, MAX_SEGMENT_LENGTH) - HEADER_LENGTH);
    }

    /** Writes the length at the beginning of a segment. */
    public static void putLength(Segment frame, int length) {
        frame.putInt(0, length);
    }

    /** Returns true when the reserved bit {@link #HEADERS_FOLLOW} is set in a length. */
    public static boolean hasReservedBit(int length) {
        return (length & HEADERS_FOLLOW) != 0;
    }

    /** Returns the length in the header of the frame at the given offset; negative when the reserved bit is set. */
    public static int length(ByteBuffer bytes, int offset) {
        return bytes.getInt(offset);
    }

    /**
     * Returns the length in the header of the frame at the given index of a segment; negative when the reserved bit is
     * set.
     */
    public static int length(Segment segment, long index) {
        return segment.getInt(index);
    }
}
