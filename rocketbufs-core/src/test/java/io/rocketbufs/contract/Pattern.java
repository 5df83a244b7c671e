package io.rocketbufs.contract;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An endless stream of test bytes, each determined by its position. Streams with different seeds differ everywhere.
 *
 * <p>The bytes come from one table, which repeats after a prime number of bytes, so that no power of two is a multiple
 * of the period. The contract of every transport checks many bytes. Copying and comparing bytes from a table takes a
 * fraction of the time that computing them would take. The table's period is longer than any stream that
 * {@link Sent#find} searches.
 */
record Pattern(long seed) {
    private static final int PERIOD = (1 << 23) - 15;
    /** Distance in the table between the starts of two streams whose seeds differ by one. */
    private static final long DISTANCE = 1_000_003;

    private static final byte[] TABLE = table();

    private static byte[] table() {
        ByteBuffer words = ByteBuffer.allocate(1 << 23);
        for (long number = 1; words.hasRemaining(); number++) {
            long mixed = number * 0x9E3779B97F4A7C15L;
            words.putLong(mixed ^ mixed >>> 32);
        }
        return words.array();
    }

    /** Returns the byte at a position of the stream. */
    byte at(long position) {
        return TABLE[index(position)];
    }

    private int index(long position) {
        return Math.floorMod(position + seed * DISTANCE, PERIOD);
    }

    /** Fills the start of a segment with the stream's bytes, starting at the given position. */
    void fill(Segment segment, long position, int length) {
        for (int done = 0; done < length; ) {
            int from = index(position + done);
            int count = Math.min(length - done, PERIOD - from);
            segment.put(done, TABLE, from, count);
            done += count;
        }
    }

    /** Returns the first bytes of the stream. */
    byte[] first(int length) {
        byte[] bytes = new byte[length];
        for (int done = 0; done < length; ) {
            int from = index(done);
            int count = Math.min(length - done, PERIOD - from);
            System.arraycopy(TABLE, from, bytes, done, count);
            done += count;
        }
        return bytes;
    }

    /** Returns the stream position of the first wrong byte of a segment, or -1. */
    long firstWrong(Segment segment, long position) {
        return firstWrong(bytes(segment), position);
    }

    /** Returns the stream position of the first wrong byte in an array, or -1. */
    long firstWrong(byte[] bytes, long position) {
        for (int done = 0; done < bytes.length; ) {
            int from = index(position + done);
            int count = Math.min(bytes.length - done, PERIOD - from);
            int wrong = Arrays.mismatch(bytes, done, done + count, TABLE, from, from + count);
            if (wrong >= 0) {
                return position + done + wrong;
            }
            done += count;
        }
        return -1;
    }

    /** Returns a copy of a segment's bytes. */
    static byte[] bytes(Segment segment) {
        byte[] bytes = new byte[(int) segment.length()];
        segment.get(0, bytes, 0, bytes.length);
        return bytes;
    }
}
