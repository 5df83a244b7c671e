package io.rocketbufs.rbmq.protocol;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;

/**
 * The layout of a message in a buffer: the message's length as a big-endian int, followed by its bytes. Messages follow
 * each other without padding, so small messages take little space. A message may be empty.
 *
 * <pre>
 *  0          4              4+length
 *  +----------+--------------+----------
 *  |  length  |  payload  …  |  length …
 *  +----------+--------------+----------
 * </pre>
 *
 * In a message with headers, bit 31 of the length is set, {@link #HEADERS_FOLLOW}. The headers, in
 * {@link HeaderLayout}, are between the length and the payload. The other 31 bits contain the combined length of
 * headers and payload, so a reader that skips messages need not know the layout of headers.
 *
 * <pre>
 *  0   1        4                              4+length
 *  +---+--------+-------------+----------------+----------
 *  | 1 | length |  headers …  |   payload  …   |  length …
 *  +---+--------+-------------+----------------+----------
 *  bit 31
 * </pre>
 *
 * A publisher delivers whole messages, so every transfer consists of whole messages.
 */
public final class MessageLayout {
    /** Length of the length field, in bytes. */
    public static final int HEADER_LENGTH = Integer.BYTES;

    /** The bit of the length field that is set if headers are between this field and the payload. */
    public static final int HEADERS_FOLLOW = 1 << 31;

    /** Maximum length of a segment. */
    private static final long MAX_SEGMENT_LENGTH = 1L << 30;

    private MessageLayout() {}

    /** Returns the length of a frame; {@code length} is the length of the message including its headers. */
    public static int frameLength(int length) {
        return HEADER_LENGTH + length;
    }

    /** Returns the length of the longest message that fits into a buffer. */
    public static int longest(long capacity) {
        return (int) (Math.min(capacity, MAX_SEGMENT_LENGTH) - HEADER_LENGTH);
    }

    /** Writes the length of the frame at an index within a segment. */
    public static void putLength(Segment segment, long index, int length) {
        segment.putInt(index, length);
    }

    /** Writes the length of the frame at an index within a segment, for a message with headers. */
    public static void putLengthWithHeaders(Segment segment, long index, int length) {
        segment.putInt(index, length | HEADERS_FOLLOW);
    }

    /** Reduces the length of the frame at an index within a segment. The bit for headers does not change. */
    public static void shorten(Segment segment, long index, int count) {
        segment.putInt(index, segment.getInt(index) - count);
    }

    /** Returns true if a length field states that headers follow it. Such a field is negative. */
    public static boolean hasHeaders(int field) {
        return field < 0;
    }

    /** Returns the length of headers and payload from the length field of a message with headers. */
    public static int lengthWithHeaders(int field) {
        return field & ~HEADERS_FOLLOW;
    }

    /**
     * Returns the index of the last frame within the first {@code length} bytes of a segment, which must start with a
     * frame. If there is a malformed frame, returns the index of the first one.
     */
    public static long lastFrame(Segment segment, long length) {
        long index = 0;
        while (length - index >= HEADER_LENGTH) {
            long next = index + HEADER_LENGTH + lengthWithHeaders(length(segment, index));
            if (next >= length) {
                return index;
            }
            index = next;
        }
        return index;
    }

    /** Returns true if a segment contains exactly one entire frame from an index to its end. */
    public static boolean isFrame(Segment segment, long index) {
        long remaining = segment.length() - index - HEADER_LENGTH;
        return remaining >= 0 && lengthWithHeaders(length(segment, index)) == remaining;
    }

    /** Returns true if the frame from an index to the end of a segment has the header {@code clear} and no payload. */
    public static boolean clears(Segment segment, long index) {
        long start = index + HEADER_LENGTH;
        return hasHeaders(length(segment, index))
                && HeaderLayout.fill(segment, start, segment.length() - start, HeaderKey.CLEAR);
    }

    /** Returns the length field of the frame at an offset; negative if headers follow it. */
    public static int length(ByteBuffer bytes, int offset) {
        return bytes.getInt(offset);
    }

    /** Returns the length field of the frame at an index within a segment; negative if headers follow it. */
    public static int length(Segment segment, long index) {
        return segment.getInt(index);
    }
}
