package io.rocketbufs.rocketlog.cli;

import java.nio.ByteBuffer;

/**
 * The layout of the demo's records. Each contains the number of its producer, and its own number among the records that
 * this producer sends to the partition. The payload is computed from both, so that bytes from another record are
 * detected.
 *
 * <pre>
 *   0          2               8            16                      256
 *   +----------+---------------+------------+-----------------------+
 *   | producer | number        | time stamp | payload: 30 x 8 bytes |
 *   +----------+---------------+------------+-----------------------+
 * </pre>
 */
final class DemoRecordLayout {
    /** Length of a record's value. */
    static final int LENGTH = 256;

    private static final int STAMP = 8;
    private static final int PAYLOAD = 16;
    private static final int NUMBER_BITS = 48;
    private static final long NUMBER_MASK = (1L << NUMBER_BITS) - 1;
    private static final long FACTOR = 6_364_136_223_846_793_005L;

    private DemoRecordLayout() {}

    /** Fills a record. */
    static void write(ByteBuffer record, int producer, long number, long stampNs) {
        long header = (long) producer << NUMBER_BITS | number;
        record.putLong(0, header).putLong(STAMP, stampNs);
        long word = header;
        for (int i = PAYLOAD; i < LENGTH; i += Long.BYTES) {
            word = next(word);
            record.putLong(i, word);
        }
    }

    private static long next(long word) {
        return (word + 1) * FACTOR;
    }

    /** Returns true if the payload belongs to the header. The value is between position and limit. */
    static boolean isIntact(ByteBuffer value) {
        if (value == null || value.remaining() != LENGTH) {
            return false;
        }
        long word = value.getLong(value.position());
        for (int i = PAYLOAD; i < LENGTH; i += Long.BYTES) {
            word = next(word);
            if (value.getLong(value.position() + i) != word) {
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
