package io.rocketbufs.livestream;

import io.rocketbufs.Segment;

/**
 * The layout of a chunk in a buffer: a header, the payload, and a trailer. Numbers are big-endian.
 *
 * <pre>
 *  0                     8
 *  +---------------------+
 *  | marker              |  position of the header in the relay's buffer, unique to each chunk
 *  +----------+----------+
 *  | stream   | generat. |  buffer id; generation of the description
 *  +----------+----------+
 *  | sequence            |
 *  +---------------------+
 *  | start, ms           |  since 1970, when the first frame was captured, as estimated by the relay
 *  +----------+----------+
 *  | duration | flags    |  in µs; 1: begins with a key frame, 2: does not continue the chunk before it
 *  +----------+----------+
 *  | length   | 0        |  of the payload
 *  +----------+----------+
 *  | payload …           |
 *  +---------------------+
 *  | marker              |  the same marker
 *  +---------------------+
 * </pre>
 *
 * <p>Memory is written in ascending order, so a write that overwrites a chunk overwrites its first marker before any
 * byte of its payload. RDMA also preserves this order, even though data arrives before the receiver is notified. Each
 * chunk needs a different marker. If all markers were the same, a chunk that another chunk has replaced at the same
 * place would appear intact.
 *
 * <p><b>Source:</b> RocketBufs 5, "consistency markers"; the other fields of the header are an addition.
 */
public final class ChunkLayout {
    /** Length of the header before the payload, in bytes. */
    public static final int HEADER_LENGTH = 48;
    /** Length of a marker in bytes. */
    public static final int MARKER_LENGTH = Long.BYTES;
    /** Flag: the chunk starts with a key frame. */
    public static final int KEY_FRAME = 1;
    /** Flag: the chunk does not continue the previous one, because its source is different or data is missing. */
    public static final int DISCONTINUITY = 2;

    private static final int STREAM = 8;
    private static final int GENERATION = 12;
    private static final int SEQUENCE = 16;
    private static final int START = 24;
    private static final int DURATION = 32;
    private static final int FLAGS = 36;
    private static final int LENGTH = 40;
    private static final int RESERVED = 44;

    private ChunkLayout() {}

    /** Returns the length in bytes of a chunk, including header and trailer. */
    public static int lengthOf(int payloadLength) {
        return HEADER_LENGTH + payloadLength + MARKER_LENGTH;
    }

    /** Returns the index of the payload within a chunk. */
    public static int payloadIndex() {
        return HEADER_LENGTH;
    }

    /**
     * Writes the header and the trailer around a payload that starts at {@link #payloadIndex()} of an ROut's segment.
     */
    public static void seal(Segment segment, ChunkHeader header) {
        long marker = segment.position();
        segment.putLong(0, marker);
        segment.putInt(STREAM, header.stream());
        segment.putInt(GENERATION, header.generation());
        segment.putLong(SEQUENCE, header.sequence());
        segment.putLong(START, header.startMs());
        segment.putInt(DURATION, header.durationUs());
        segment.putInt(FLAGS, header.flags());
        segment.putInt(LENGTH, header.length());
        segment.putInt(RESERVED, 0);
        segment.putLong(HEADER_LENGTH + (long) header.length(), marker);
    }

    /** Returns the marker at the beginning of the chunk that starts at {@code index}. */
    public static long marker(Segment segment, long index) {
        return segment.getLong(index);
    }

    /**
     * Reads the header of the chunk that starts at {@code index}. Returns null if the chunk extends beyond the segment
     * or its two markers differ.
     */
    public static ChunkHeader read(Segment segment, long index) {
        if (segment.length() - index < lengthOf(1)) {
            return null;
        }
        int length = segment.getInt(index + LENGTH);
        if (length < 1 || length > segment.length() - index - HEADER_LENGTH - MARKER_LENGTH) {
            return null;
        }
        if (segment.getLong(index) != segment.getLong(index + HEADER_LENGTH + length)) {
            return null;
        }
        return new ChunkHeader(
                segment.getInt(index + STREAM),
                segment.getInt(index + GENERATION),
                segment.getLong(index + SEQUENCE),
                segment.getLong(index + START),
                segment.getInt(index + DURATION),
                segment.getInt(index + FLAGS),
                length);
    }
}
