package io.rocketbufs.rocketlog.cli;

import java.nio.ByteBuffer;

/**
 * The layout of the records of a load, which contain the number of their producer, and their own number among those
 * that it sends to the partition. The payload is computed from both, so that bytes from another record are detected.
 *
 * <pre>
 *   0          2               8            16                                            size
 *   +----------+---------------+------------+---------------------------------------------+
 *   | producer | number        | time stamp | payload: words of 8 bytes, then single bytes |
 *   +----------+---------------+------------+---------------------------------------------+
 * </pre>
 */
final class LoadRecordLayout {
    /** Length of the shortest value, which has no payload. */
    static final int SHORTEST = 16;

    /** The timestamp of a record that has none. */
    static final long NO_STAMP = 0;

    private static final int STAMP = 8;
    private static final int PAYLOAD = SHORTEST;
    private static final int NUMBER_BITS = 48;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    private static final long FACTOR = 6_364_136_223_846_793_005L;
    /** The lower bits of such a product are less random. */
    private static final int BYTE_SHIFT = 56;

    private LoadRecordLayout() {}

    /** Fills a record, which occupies the whole buffer. */
    static void write(ByteBuffer record, int producer, long number, long stampNs) {
        long header = (long) producer << NUMBER_BITS | number;
        record.putLong(0, header).putLong(STAMP, stampNs);
        long word = header;
        int i = PAYLOAD;
        for (; i <= record.capacity() - Long.BYTES; i += Long.BYTES) {
            word = next(word);
            record.putLong(i, word);
        }
        for (; i < record.capacity(); i++) {
            word = next(word);
            record.put(i, (byte) (word >>> BYTE_SHIFT));
        }
    }

    private static long next(long word) {
        return (word + 1) * FACTOR;
    }

    /** Returns true if the value has this length, and the payload belongs to the header; between position and limit. */
    static boolean isIntact(ByteBuffer value, int size) {
        if (value == null || value.remaining() != size) {
            return false;
        }
        int start = value.position();
        long word = value.getLong(start);
        int i = PAYLOAD;
        for (; i <= size - Long.BYTES; i += Long.BYTES) {
            word = next(word);
            if (value.getLong(start + i) != word) {
                return false;
            }
        }
        for (; i < size; i++) {
            word = next(word);
            if (value.get(start + i) != (byte) (word >>> BYTE_SHIFT)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the number of the producer. */
    static int producer(ByteBuffer value) {
        return (int) (value.getLong(value.position()) >>> NUMBER_BITS);
    }

    /** Returns the number of the record. */
    static long number(ByteBuffer value) {
        return value.getLong(value.position()) & NUMBER_MASK;
    }

    /** Returns the timestamp. */
    static long stampNs(ByteBuffer value) {
        return value.getLong(value.position() + STAMP);
    }
}
