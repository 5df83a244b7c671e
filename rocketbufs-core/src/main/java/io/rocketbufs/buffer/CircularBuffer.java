package io.rocketbufs.buffer;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Circular memory that maps absolute positions to ranges of a region.
 *
 * <p>A position counts bytes since the buffer's creation and never wraps; only this class converts it to an offset.
 * Overlapping windows cover memory beyond 2 GiB. Any range of at most {@link #MAX_RANGE} bytes that does not cross the
 * buffer's end therefore lies within one window.
 *
 * <p>An empty buffer can be {@linkplain #rewind rewound} to its first byte. A buffer that is always emptied shortly
 * after it has been filled therefore uses only a small part of its memory. That part stays in the processor's caches,
 * and the pages after it are never touched. Once a buffer has used more than 64 KiB, it {@linkplain #returnPages
 * returns} the pages beyond the first 64 KiB to the operating system after leaving them unused for a second.
 *
 * <p><b>Thread-safety:</b> only the writing thread calls {@link #isRewindDue}, {@link #rewind}, {@link #touch},
 * {@link #usesMuch} and {@link #returnPages}. Another thread may call {@link #returnPagesOutside} and
 * {@link #hasTouched} if a lock excludes calls of {@link #rewind} and {@link #touch}. The other methods may be called
 * by any thread that has read a position after the writing thread published it. <b>Ownership:</b> does not own the
 * region. <b>Source:</b> RocketBufs 3.1; rewinding and returning pages are additions.
 */
public final class CircularBuffer {
    /** Maximum length of a range, and therefore of a segment: 1 GiB. */
    public static final long MAX_RANGE = 1L << 30;
    /**
     * Maximum number of bytes that one tick of a connection's clock should return to the system. Returning them takes
     * less than a millisecond.
     */
    public static final long RETURNED_PER_TICK = 8 << 20;
    /**
     * Length in bytes of the part at the start of the memory that keeps its pages. A multiple of the page length of
     * every supported system.
     */
    public static final long KEPT_LENGTH = 64 << 10;

    private static final int WINDOW_SHIFT = 30;

    /** Number of bytes written between two checks for an empty buffer. A check costs one or two cache misses. */
    private static final long REWIND_LENGTH = 16 << 10;

    private static final long UNUSED_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Maximum number of bytes that one call returns to the system, a multiple of {@link #KEPT_LENGTH}. A call takes
     * about 20 microseconds.
     */
    private static final long STEP_LENGTH = 256 << 10;

    private final Region region;
    private final LongSupplier clock;
    private final long capacity;
    private final long mask;
    private final ByteBuffer[] windows;
    /** Position of the byte at offset 0. */
    private long origin;

    private long rewindDueAt = REWIND_LENGTH;
    /**
     * Number of bytes, starting with the first byte, whose pages may be committed. Updated only when it exceeds the
     * kept length.
     */
    private long touched;
    /** Time when more than the kept pages were last in use. */
    private long usedAtNs;

    /**
     * Creates a buffer over the start of a region.
     *
     * @param capacity capacity in bytes, from 1 to the region's length
     */
    public CircularBuffer(Region region, long capacity) {
        this(region, capacity, System::nanoTime);
    }

    /** Creates a buffer with a clock in nanoseconds other than {@link System#nanoTime}. */
    public CircularBuffer(Region region, long capacity, LongSupplier clock) {
        if (capacity < 1 || capacity > region.length()) {
            throw new IllegalArgumentException(
                    "capacity=" + capacity + " is not in the range 1 to regionLength=" + region.length());
        }
        this.region = region;
        this.clock = clock;
        this.capacity = capacity;
        this.mask = Long.bitCount(capacity) == 1 ? capacity - 1 : -1;
        this.windows = new ByteBuffer[(int) ((capacity - 1 >> WINDOW_SHIFT) + 1)];
        for (int i = 0; i < windows.length; i++) {
            long offset = (long) i << WINDOW_SHIFT;
            windows[i] = region.window(offset, (int) Math.min(Integer.MAX_VALUE, capacity - offset));
        }
    }

    /** Returns the capacity in bytes. */
    public long capacity() {
        return capacity;
    }

    /** Returns the region that holds the buffer. */
    public Region region() {
        return region;
    }

    /**
     * Returns the offset of a position, from 0 to capacity - 1. Positions before the last {@link #rewind} are not
     * valid.
     */
    public long offset(long position) {
        long distance = position - origin;
        return mask >= 0 ? distance & mask : distance % capacity;
    }

    /** Makes this buffer use all of its memory. After this call, a rewind is never due. */
    public void neverRewind() {
        rewindDueAt = Long.MAX_VALUE;
    }

    /**
     * Returns true if the writer's position has advanced by at least 16 KiB since this method last returned true. In
     * this case, the caller should rewind the buffer if it is empty.
     */
    public boolean isRewindDue(long position) {
        boolean due = position >= rewindDueAt;
        if (due) {
            rewindDueAt = position + REWIND_LENGTH;
        }
        return due;
    }

    /**
     * Maps a position to the first byte of the memory.
     *
     * @param position position of the next byte to be written; no byte before it may be read or written after this call
     */
    public void rewind(long position) {
        touch(position);
        origin = position;
    }

    /** Records that the memory before a position is in use at this time. */
    public void touch(long position) {
        long used = lengthTo(position);
        if (used > KEPT_LENGTH) {
            touched = Math.max(touched, used);
            usedAtNs = clock.getAsLong();
        }
    }

    /**
     * Returns true if pages after the first 64 KiB may have been used and not been returned since. Always returns false
     * for a buffer that is never rewound.
     */
    public boolean hasTouched() {
        return rewindDueAt != Long.MAX_VALUE && touched > KEPT_LENGTH;
    }

    /**
     * Returns true if more than 64 KiB of memory may have pages. In this case, the caller should call
     * {@link #returnPages} if the buffer is empty. Always returns false for a buffer that is never rewound.
     */
    public boolean usesMuch(long position) {
        return rewindDueAt != Long.MAX_VALUE && Math.max(touched, lengthTo(position)) > KEPT_LENGTH;
    }

    /**
     * {@linkplain #rewind Rewinds} this empty buffer, and returns pages after the first 64 KiB to the operating system
     * if the buffer has not used them for a second. One call returns at most 256 KiB; call again later to return more.
     *
     * @param position position of the next byte to be written; no byte before it may be read or written after this call
     * @return the number of bytes returned; 0 if there is nothing to return, or if the system or a device keeps the
     *     pages
     */
    public long returnPages(long position) {
        rewind(position);
        return returnPagesOutside(position, position);
    }

    /**
     * Returns pages to the operating system like {@link #returnPages}, but does not rewind this buffer, and leaves a
     * range alone in which the writing thread may write during this call. Pages of this range that have been used can
     * be returned only after a later {@link #touch} or {@link #rewind}.
     *
     * @param start position of the first byte of the range; no byte before it may be read or written after this call
     * @param end position after the last byte of the range, at most {@code start} + capacity
     * @return the number of bytes returned
     */
    public long returnPagesOutside(long start, long end) {
        if (touched <= KEPT_LENGTH || clock.getAsLong() - usedAtNs < UNUSED_NS) {
            return 0;
        }
        long first = offset(start);
        long last = first + end - start;
        long usedFrom = first / KEPT_LENGTH * KEPT_LENGTH;
        long usedTo = roundUp(Math.min(capacity, last));
        // A range that wraps around the buffer's end also uses the start of the memory.
        long lowest = Math.max(KEPT_LENGTH, roundUp(last - capacity));
        long to = roundUp(touched);
        to = to > usedFrom && to <= usedTo ? usedFrom : to;
        long from = Math.max(to > usedTo ? Math.max(lowest, usedTo) : lowest, to - STEP_LENGTH);
        if (from >= to) {
            touched = 0;
            return 0;
        }
        long length = Math.min(to, region.length()) - from;
        boolean returned = region.returnPages(from, length);
        touched = returned ? from : 0;
        return returned ? length : 0;
    }

    private static long roundUp(long length) {
        return (length + KEPT_LENGTH - 1) / KEPT_LENGTH * KEPT_LENGTH;
    }

    /** Returns the number of bytes of memory used by positions before the given one, starting with the first byte. */
    public long lengthTo(long position) {
        return Math.min(capacity, position - origin);
    }

    /**
     * Appends the range of {@code length} bytes at {@code position} to a list, as one vec or, if the range wraps around
     * the buffer's end, as two.
     *
     * @param length length in bytes, at most the capacity and {@link #MAX_RANGE}
     * @return false if the list has no room for the whole range; in that case, the list may contain part of the range
     * @throws IllegalArgumentException if the length exceeds the capacity, so that the range would overlap itself
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

    /**
     * Returns the direct buffer over the memory from {@code windowStart(index)} on. Callers must ignore its position
     * and limit.
     */
    public ByteBuffer window(int index) {
        return windows[index];
    }

    /** Returns the number of windows. */
    public int windowCount() {
        return windows.length;
    }

    /**
     * Returns the index of a window that contains every valid range starting at {@code offset} and not crossing the
     * buffer's end.
     */
    public int windowIndex(long offset) {
        return (int) (offset >> WINDOW_SHIFT);
    }

    /** Returns the offset of a window's first byte. */
    public long windowStart(int index) {
        return (long) index << WINDOW_SHIFT;
    }

    private int window(long offset, int length) {
        return length == 0 ? 0 : windowIndex(offset);
    }
}
