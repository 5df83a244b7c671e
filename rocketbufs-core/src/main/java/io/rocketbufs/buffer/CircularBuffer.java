package io.rocketbufs.buffer;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;

/**
 * Circular memory: turns absolute positions into ranges of a region.
 *
 * <p>A position counts bytes since the buffer's creation and never wraps; it becomes an offset here, at the last
 * moment. Memory beyond 2 GiB is covered by overlapping windows, so that any range up to {@link #MAX_RANGE} that does
 * not cross the buffer's end lies in one of them.
 *
 * <p>A buffer that holds nothing can {@linkplain #rewind begin anew} at its first byte. So what is always emptied soon
 * uses a small part of the memory again and again, which stays in the processor's caches, and the pages behind it are
 * never touched.
 *
 * <p><b>Thread-safety:</b> {@link #isRewindDue} and {@link #rewind} by one thread, the one that writes; the rest by any
 * that has learned of the position after that thread had named it. <b>Ownership:</b> does not own the region.
 * <b>Source:</b> RocketBufs 3.1; beginning anew is ours.
 */
public final class CircularBuffer {
    /** Longest range, and so longest segment: 1 GiB. */
    public static final long MAX_RANGE = 1L << 30;

    private static final int WINDOW_SHIFT = 30;

    /** Bytes written before it is worth looking whether the buffer is empty: to look costs a cache miss or two. */
    private static final long REWIND_LENGTH = 16 << 10;

    private final Region region;
    private final long capacity;
    private final long mask;
    private final ByteBuffer[] windows;
    /** Position that lies at offset 0. */
    private long origin;

    private long rewindDueAt = REWIND_LENGTH;

    /**
     * Lays a buffer over the beginning of a region.
     *
     * @param capacity bytes, 1 to the region's length
     */
    public CircularBuffer(Region region, long capacity) {
        if (capacity < 1 || capacity > region.length()) {
            throw new IllegalArgumentException("capacity=" + capacity + " regionLength=" + region.length());
        }
        this.region = region;
        this.capacity = capacity;
        this.mask = Long.bitCount(capacity) == 1 ? capacity - 1 : -1;
        this.windows = new ByteBuffer[(int) ((capacity - 1 >> WINDOW_SHIFT) + 1)];
        for (int i = 0; i < windows.length; i++) {
            long offset = (long) i << WINDOW_SHIFT;
            windows[i] = region.window(offset, (int) Math.min(Integer.MAX_VALUE, capacity - offset));
        }
    }

    /** Bytes that the buffer holds. */
    public long capacity() {
        return capacity;
    }

    /** The memory below. */
    public Region region() {
        return region;
    }

    /** The place of a position in memory, 0 to capacity - 1; of none before the last {@link #rewind}. */
    public long offset(long position) {
        long distance = position - origin;
        return mask >= 0 ? distance & mask : distance % capacity;
    }

    /** True now and then, when the writer has come to a position: if the buffer is empty, it should be rewound. */
    public boolean isRewindDue(long position) {
        boolean due = position >= rewindDueAt;
        if (due) {
            rewindDueAt = position + REWIND_LENGTH;
        }
        return due;
    }

    /**
     * Lets the memory begin anew.
     *
     * @param position of the next byte that is written; nothing before it is read or written any more
     */
    public void rewind(long position) {
        origin = position;
    }

    /**
     * Appends the range of {@code length} bytes at {@code position}: one vec, or two where it wraps.
     *
     * @param length bytes, at most the capacity and {@link #MAX_RANGE}
     * @return false when the list had no room for all of it; then it may hold a part
     * @throws IllegalArgumentException when the length exceeds the capacity: such a range would hold memory behind it
     */
    public boolean range(long position, long length, Vecs into) {
        if (length > capacity) {
            throw new IllegalArgumentException(
                    "length=" + length + " exceeds capacity=" + capacity + ": position=" + position);
        }
        long offset = offset(position);
        long first = Math.min(length, capacity - offset);
        return add(offset, (int) first, into) && add(0, (int) (length - first), into);
    }

    private boolean add(long offset, int length, Vecs into) {
        int window = window(offset, length);
        return into.add(
                windows[window], (int) (offset - ((long) window << WINDOW_SHIFT)), length, region.address() + offset);
    }

    /** The direct buffer over the memory from {@code windowStart(offset)} on; its position and limit mean nothing. */
    public ByteBuffer window(int index) {
        return windows[index];
    }

    /** Number of windows. */
    public int windowCount() {
        return windows.length;
    }

    /** The window in which a range that does not cross the end lies whole. */
    public int windowIndex(long offset) {
        return (int) (offset >> WINDOW_SHIFT);
    }

    /** Offset of a window's first byte. */
    public long windowStart(int index) {
        return (long) index << WINDOW_SHIFT;
    }

    private int window(long offset, int length) {
        return length == 0 ? 0 : windowIndex(offset);
    }
}
