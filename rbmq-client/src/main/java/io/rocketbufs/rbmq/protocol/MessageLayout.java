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
 */
public final class MessageLayout {
    /** Length of the header before the payload, in bytes. */
    public static final int HEADER_LENGTH = Integer.BYTES;

    /** Length of the longest segment. */
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

    /** Returns the length in the header of the frame at an offset. */
    public static int length(ByteBuffer bytes, int offset) {
        return bytes.getInt(offset);
    }

    /** Returns the length in the header of the frame at an index within a segment. */
    public static int length(Segment segment, long index) {
        return segment.getInt(index);
    }
}
