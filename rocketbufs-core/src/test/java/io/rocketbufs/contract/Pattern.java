package io.rocketbufs.contract;

import io.rocketbufs.Segment;

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
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = at(position + i);
        }
        segment.put(0, bytes, 0, length);
    }

    /** Returns the stream position of the first wrong byte of a segment, or -1. */
    long firstWrong(Segment segment, long position) {
        byte[] bytes = new byte[(int) segment.length()];
        segment.get(0, bytes, 0, bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != at(position + i)) {
                return position + i;
            }
        }
        return -1;
    }
}
