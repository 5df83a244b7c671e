package io.rocketbufs.examples;

import io.rocketbufs.Segment;

/**
 * The layout of a tick of {@link TickerPublisher}. All numbers are big-endian.
 *
 * <pre>
 *  0          8                16
 * +----------+----------------+
 * | number   | time in us     |
 * +----------+----------------+
 * </pre>
 */
final class TickLayout {
    static final int LENGTH = 16;
    private static final int TIME_OFFSET = 8;

    private TickLayout() {}

    static void write(Segment segment, long number, long timeUs) {
        segment.putLong(0, number);
        segment.putLong(TIME_OFFSET, timeUs);
    }

    /** Returns the number of the tick that starts at the given index of a segment. */
    static long number(Segment segment, long index) {
        return segment.getLong(index);
    }
}
