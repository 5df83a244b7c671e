package io.rocketbufs.rocketlog.cli;

import java.nio.ByteBuffer;

/**
 * The layout of the records of a load. Each record contains the number of its producer, and its own number among the
 * records that this producer sends to the partition. The payload is computed from both numbers, so that bytes of other
 * records are detected.
 *
 * <pre>
 *   0          2               8            16                                            size
 *   +----------+---------------+------------+---------------------------------------------+
 *   | producer | number        | timestamp  | payload: words of 8 bytes, then single bytes |
 *   +----------+---------------+------------+---------------------------------------------+
 * </pre>
 */
final class LoadRecordLayout {
    /** Minimum length of a value, in bytes; a value of this length has no payload. */
    static final int SHORTEST = 16;

    /** The value that represents a missing timestamp. */
    static final long NO_STAMP = 0;

    private static final int STAMP = 8;
    private static final int PAYLOAD = SHORTEST;
    private static final int NUMBER_BITS = 48;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    private static final long FACTOR = 6_364_136_223_846_793_005L;
    /** Shift that selects the highest byte of a word, because the lower bits of a product are less random. */
    private static final int BYTE_SHIFT = 56;

    private LoadRecordLayout() {}

    /** Writes a record that fills the whole buffer. */
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

    /**
     * Returns true if a value has the given length and its payload matches its header. The value consists of the bytes
     * between the buffer's position and limit.
     */
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

    /** Returns the number of the producer that sent a value. */
    static int producer(ByteBuffer value) {
        return (int) (value.getLong(value.position()) >>> NUMBER_BITS);
    }

    /** Returns the number of the record in its partition, among the records of its producer. */
    static long number(ByteBuffer value) {
        return value.getLong(value.position()) & NUMBER_MASK;
    }

    /** Returns the timestamp of a value, or {@link #NO_STAMP}. */
    static long stampNs(ByteBuffer value) {
        return value.getLong(value.position() + STAMP);
    }
}
