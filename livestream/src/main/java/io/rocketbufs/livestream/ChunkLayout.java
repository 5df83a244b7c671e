package io.rocketbufs.livestream;

import io.rocketbufs.Segment;

/**
 * A chunk in a buffer: the payload between a header and a trailer. All is big-endian.
 *
 * <pre>
 *  0                     8
 *  +---------------------+
 *  | marker              |  position of the header in the relay's buffer: every chunk has another
 *  +----------+----------+
 *  | stream   | generat. |  buffer id; generation of the description
 *  +----------+----------+
 *  | sequence            |
 *  +---------------------+
 *  | start, ms           |  since 1970, when its first picture was taken, as far as the relay can tell
 *  +----------+----------+
 *  | duration | flags    |  in µs; 1: begins with a key frame, 2: does not continue the chunk before it
 *  +----------+----------+
 *  | length   | 0        |  of the payload
 *  +----------+----------+
 *  | payload …           |
 *  +---------------------+
 *  | marker              |  the same again
 *  +---------------------+
 * </pre>
 *
 * <p>Positions are written in ascending order, so what overwrites a chunk overwrites its first marker before any byte
 * of its payload. That holds over RDMA too, where data lands before the receiver is told. A marker that was the same in
 * every chunk would prove nothing: the next chunk may begin at the same place.
 *
 * <p><b>Source:</b> RocketBufs 5, "consistency markers"; what else the header holds is ours.
 */
public final class ChunkLayout {
    /** Bytes before the payload. */
    public static final int HEADER_LENGTH = 48;
    /** Bytes of a marker. */
    public static final int MARKER_LENGTH = Long.BYTES;
    /** Begins with a key frame. */
    public static final int KEY_FRAME = 1;
    /** Does not continue the chunk before it: another source, or something is missing. */
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

    /** Bytes of a whole chunk. */
    public static int lengthOf(int payloadLength) {
        return HEADER_LENGTH + payloadLength + MARKER_LENGTH;
    }

    /** Index of the payload in a chunk. */
    public static int payloadIndex() {
        return HEADER_LENGTH;
    }

    /** Wraps the payload that a segment of an ROut holds from {@link #payloadIndex()} on. */
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

    /** The marker at the beginning of the chunk at an index. */
    public static long marker(Segment segment, long index) {
        return segment.getLong(index);
    }

    /**
     * Reads the header of the chunk at an index; null when there is none, because it does not fit, or because the
     * markers differ.
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
