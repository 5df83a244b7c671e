package io.rocketbufs.contract;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Test data: an endless stream of bytes, each determined by its position. Streams with different seeds differ
 * everywhere.
 */
record Pattern(long seed) {
    /** Returns the byte at a position of the stream. */
    byte at(long position) {
        return (byte) (word(position >> 3) >> Byte.SIZE * (position & 7));
    }

    private long word(long number) {
        long mixed = (number + seed * 0x632BE59BD9B4E019L + 1) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 32;
    }

    /** Fills the beginning of a segment with the stream's bytes, starting at the given position. */
    void fill(Segment segment, long position, int length) {
        segment.put(0, bytes(position, length), 0, length);
    }

    /** Returns the stream position of the first wrong byte of a segment, or -1. */
    long firstWrong(Segment segment, long position) {
        byte[] bytes = new byte[(int) segment.length()];
        segment.get(0, bytes, 0, bytes.length);
        int wrong = Arrays.mismatch(bytes, bytes(position, bytes.length));
        return wrong < 0 ? -1 : position + wrong;
    }

    /** Computes a word at a time, because the contract of every transport checks many bytes. */
    private byte[] bytes(long position, int length) {
        int skipped = (int) (position & 7);
        ByteBuffer words =
                ByteBuffer.allocate((skipped + length + 7) & -Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long number = position >> 3; words.hasRemaining(); number++) {
            words.putLong(word(number));
        }
        return Arrays.copyOfRange(words.array(), skipped, skipped + length);
    }
}
