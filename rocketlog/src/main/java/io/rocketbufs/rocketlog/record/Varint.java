package io.rocketbufs.rocketlog.record;

import java.nio.ByteBuffer;

/**
 * The variable-length zigzag encoding of numbers in records: 7 bits per byte, lowest bits first. The highest bit of a
 * byte is set if another byte follows.
 *
 * <p><i>Thread-safety:</i> stateless.
 */
final class Varint {
    private static final int MOST_BITS = 64;

    private Varint() {}

    /** Returns the encoded length of the value, from 1 to 10 bytes. */
    static int length(long value) {
        int bits = MOST_BITS - Long.numberOfLeadingZeros(zigzag(value) | 1);
        return (bits + 6) / 7;
    }

    /** Writes the value at the buffer's position. */
    static void put(ByteBuffer buffer, long value) {
        long rest = zigzag(value);
        while ((rest & ~0x7FL) != 0) {
            buffer.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.put((byte) rest);
    }

    /**
     * Reads the number at the buffer's position into {@link RecordView#number}, and advances the position past it.
     *
     * @return false if the buffer ends inside the number or the number is longer than 10 bytes. The position is then
     *     undefined.
     */
    static boolean read(ByteBuffer buffer, RecordView into) {
        long value = 0;
        for (int shift = 0; shift < MOST_BITS && buffer.hasRemaining(); shift += 7) {
            byte next = buffer.get();
            value |= (next & 0x7FL) << shift;
            if (next >= 0) {
                into.number = value >>> 1 ^ -(value & 1);
                return true;
            }
        }
        return false;
    }

    private static long zigzag(long value) {
        return value << 1 ^ value >> 63;
    }
}
