package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;

/**
 * A message in a buffer: its length as a big-endian int, then its bytes. The next message follows without a gap, and
 * nothing is aligned, so that small messages stay small. A message may be empty.
 *
 * <pre>
 *  0          4              4+length
 *  +----------+--------------+----------
 *  |  length  |  payload  …  |  length …
 *  +----------+--------------+----------
 * </pre>
 *
 * A publisher delivers whole messages, so every transfer holds whole messages.
 */
public final class MessageLayout {
    /** Bytes before the payload. */
    public static final int HEADER_LENGTH = Integer.BYTES;

    /** A segment is never longer than this. */
    private static final long MAX_SEGMENT_LENGTH = 1L << 30;

    private MessageLayout() {}

    /** Bytes of a message with its frame. */
    public static int frameLength(int length) {
        return HEADER_LENGTH + length;
    }

    /** Bytes of the longest message that a buffer can take. */
    public static int longest(long capacity) {
        return (int) (Math.min(capacity, MAX_SEGMENT_LENGTH) - HEADER_LENGTH);
    }

    /** Writes the length at the beginning of a segment. */
    public static void putLength(Segment frame, int length) {
        frame.putInt(0, length);
    }

    /** The length that a frame states whose first four bytes lie at an offset. */
    public static int length(ByteBuffer bytes, int offset) {
        return bytes.getInt(offset);
    }

    /** The length that a frame states which begins at an index within a segment. */
    public static int length(Segment segment, long index) {
        return segment.getInt(index);
    }
}
