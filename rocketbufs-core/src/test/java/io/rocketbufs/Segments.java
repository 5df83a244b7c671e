package io.rocketbufs;

import io.rocketbufs.buffer.CircularBuffer;

/** Segments for tests in other packages that need a segment but no connection. */
public final class Segments {
    private Segments() {}

    /** Returns a writable segment for the test to fill. */
    public static Segment writable(CircularBuffer memory, long position, long length) {
        return Segment.over(1, memory, false).set(position, length);
    }

    /** Returns a segment of received data. */
    public static Segment received(CircularBuffer memory, long position, long length) {
        return Segment.over(1, memory, true).set(position, length);
    }
}
