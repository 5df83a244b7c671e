package io.rocketbufs.memory;

import java.nio.ByteBuffer;

/**
 * A reusable list of memory ranges: the gather or scatter list of one transport operation.
 *
 * <p>Each entry describes the same bytes twice: as an address, for native calls, and as a range of a window, for code
 * that works with {@link ByteBuffer}s. All users share a window, so its position and limit are undefined. Use absolute
 * access or a duplicate.
 *
 * <p><b>Thread-safety:</b> none; only one thread at a time may use a list. <b>Ownership:</b> refers to memory without
 * owning it.
 */
public final class Vecs {
    private final ByteBuffer[] windows;
    private final int[] offsets;
    private final int[] lengths;
    private final long[] addresses;
    private int count;
    private long totalLength;

    /** Creates an empty list with room for {@code maxCount} ranges. */
    public Vecs(int maxCount) {
        windows = new ByteBuffer[maxCount];
        offsets = new int[maxCount];
        lengths = new int[maxCount];
        addresses = new long[maxCount];
    }

    /** Empties the list. */
    public void clear() {
        count = 0;
        totalLength = 0;
    }

    /**
     * Appends a range. If the range continues the last range in the same window, the two ranges are merged.
     *
     * @param window the direct buffer that covers the range
     * @param offset offset of the range within the window
     * @param length length in bytes; 0 appends nothing
     * @param address address of the range's first byte
     * @return false if the list is full and nothing has been appended
     */
    public boolean add(ByteBuffer window, int offset, int length, long address) {
        if (length == 0) {
            return true;
        }
        int last = count - 1;
        if (last >= 0 && addresses[last] + lengths[last] == address && mergeable(last, window, offset, length)) {
            lengths[last] += length;
        } else if (count == windows.length) {
            return false;
        } else {
            windows[count] = window;
            offsets[count] = offset;
            lengths[count] = length;
            addresses[count] = address;
            count++;
        }
        totalLength += length;
        return true;
    }

    private boolean mergeable(int last, ByteBuffer window, int offset, int length) {
        return windows[last] == window
                && offsets[last] + lengths[last] == offset
                && length <= Integer.MAX_VALUE - lengths[last];
    }

    /** Returns the number of ranges. */
    public int count() {
        return count;
    }

    /** Returns the maximum number of ranges. */
    public int maxCount() {
        return windows.length;
    }

    /** Returns the total number of bytes in all ranges. */
    public long totalLength() {
        return totalLength;
    }

    /** Returns the direct buffer that covers range {@code i}. */
    public ByteBuffer window(int i) {
        return windows[i];
    }

    /** Returns the offset of range {@code i} in its window. */
    public int offset(int i) {
        return offsets[i];
    }

    /** Returns the length of range {@code i} in bytes. */
    public int length(int i) {
        return lengths[i];
    }

    /** Returns the address of the first byte of range {@code i}. */
    public long address(int i) {
        return addresses[i];
    }
}
