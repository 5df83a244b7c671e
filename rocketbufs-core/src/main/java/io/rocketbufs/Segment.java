package io.rocketbufs;

import io.rocketbufs.buffer.CircularBuffer;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A range of bytes in a buffer. It consists of one contiguous vec, or of two if it wraps around the buffer's end.
 *
 * <p>Indices count from the segment's first byte. An index outside the segment throws
 * {@link IndexOutOfBoundsException}.
 *
 * <p>If a request for an output segment is refused, the result is one of this class's constants. Their
 * {@link #vecCount()} is -1, and the documentation of each constant says whether to try again.
 *
 * <p><b>Thread-safety:</b> none; only one thread at a time may use a segment. <b>Ownership:</b> a view of the buffer's
 * memory. An output segment is valid until {@link ROut#deliver}; an input segment is valid until the callback that
 * received it returns. <b>Source:</b> RocketBufs 3.1, listing 1 (buf_seg), with direct buffers in place of iovecs.
 */
public final class Segment {
    /** The buffer has no space: try again when more data has been sent to, or consumed by, the subscribers. */
    public static final Segment NO_SPACE = new Segment("NO_SPACE");
    /**
     * Too many deliveries are pending, or too many segments are open: try again when a delivery has been sent or a
     * segment has been delivered.
     */
    public static final Segment NO_RECORD = new Segment("NO_RECORD");
    /** The memory to be overwritten is currently being sent: try again. */
    public static final Segment WRITES_PENDING = new Segment("WRITES_PENDING");
    /** The buffer or its ROut is closed: do not try again. */
    public static final Segment CLOSED = new Segment("CLOSED");
    /** The thread was interrupted while it waited. Its interrupt status is set. */
    public static final Segment INTERRUPTED = new Segment("INTERRUPTED");

    private final String name;
    /** The output buffer from which this segment was taken; null for received data and for refusals. */
    private final OutputSegments owner;

    private final int bufferId;
    private final CircularBuffer memory;
    private final boolean readOnly;
    private final ByteBuffer[] firstViews;
    private final ByteBuffer[] secondViews;
    private ByteBuffer first;
    private ByteBuffer second;
    private int firstOffset;
    private int firstLength;
    private int vecCount;
    private long position;
    private long length;

    private Segment(String name) {
        this(name, null, -1, null, true);
        vecCount = -1;
    }

    private Segment(String name, OutputSegments owner, int bufferId, CircularBuffer memory, boolean readOnly) {
        this.name = name;
        this.owner = owner;
        this.bufferId = bufferId;
        this.memory = memory;
        this.readOnly = readOnly;
        int windows = memory == null ? 0 : memory.windowCount();
        firstViews = new ByteBuffer[windows];
        secondViews = new ByteBuffer[windows];
    }

    /** Returns a view of memory that belongs to no output buffer. */
    static Segment over(int bufferId, CircularBuffer memory, boolean readOnly) {
        return new Segment("segment", null, bufferId, memory, readOnly);
    }

    /** Returns a segment for the application to fill. */
    static Segment of(OutputSegments owner, CircularBuffer memory) {
        return new Segment("segment", owner, owner.bufferId(), memory, false);
    }

    /**
     * Returns the output buffer from which this segment was taken.
     *
     * @throws IllegalArgumentException if this segment was not taken from an output buffer
     */
    OutputSegments owner() {
        if (owner == null) {
            throw new IllegalArgumentException(this + " was not taken from an ROut");
        }
        return owner;
    }

    /** Sets this segment to the range of {@code length} bytes at a position. */
    Segment set(long position, long length) {
        long offset = memory.offset(position);
        long head = Math.min(length, memory.capacity() - offset);
        this.position = position;
        this.length = length;
        this.vecCount = length == head ? 1 : 2;
        int window = memory.windowIndex(offset);
        firstOffset = (int) (offset - memory.windowStart(window));
        firstLength = (int) head;
        first = view(firstViews, window).limit(firstOffset + firstLength).position(firstOffset);
        second = vecCount == 1
                ? null
                : view(secondViews, 0).limit((int) (length - head)).position(0);
        return this;
    }

    private ByteBuffer view(ByteBuffer[] views, int window) {
        if (views[window] == null) {
            ByteBuffer whole = memory.window(window);
            views[window] = readOnly ? whole.asReadOnlyBuffer() : whole.duplicate();
        }
        return views[window].clear();
    }

    /** Returns the number of vecs, 1 or 2; -1 if the request for the segment was refused. */
    public int vecCount() {
        return vecCount;
    }

    /**
     * Returns the vec with index {@code i}: a direct, big-endian buffer whose bytes from position to limit belong to
     * the segment.
     */
    public ByteBuffer vec(int i) {
        if (i < 0 || i >= vecCount) {
            throw new IndexOutOfBoundsException("vec=" + i + " does not exist: vecCount=" + vecCount);
        }
        return i == 0 ? first : second;
    }

    /** Returns the id of the buffer. */
    public int bufferId() {
        return bufferId;
    }

    /** Returns the position of the first byte. */
    public long position() {
        return position;
    }

    /** Returns the number of bytes in all vecs. */
    public long length() {
        return length;
    }

    /** Returns the byte at an index within the segment. */
    public byte getByte(long index) {
        Objects.checkIndex(index, length);
        return byteAt(index);
    }

    /** Sets the byte at an index within the segment. */
    public void putByte(long index, byte value) {
        Objects.checkIndex(index, length);
        setByteAt(index, value);
    }

    /** Returns the big-endian int at an index within the segment. */
    public int getInt(long index) {
        Objects.checkFromIndexSize(index, Integer.BYTES, length);
        if (index + Integer.BYTES <= firstLength) {
            return first.getInt(firstOffset + (int) index);
        }
        return (int) getWrapped(index, Integer.BYTES);
    }

    /** Sets the big-endian int at an index within the segment. */
    public void putInt(long index, int value) {
        Objects.checkFromIndexSize(index, Integer.BYTES, length);
        if (index + Integer.BYTES <= firstLength) {
            first.putInt(firstOffset + (int) index, value);
        } else {
            putWrapped(index, Integer.BYTES, value);
        }
    }

    /** Returns the big-endian long at an index within the segment. */
    public long getLong(long index) {
        Objects.checkFromIndexSize(index, Long.BYTES, length);
        if (index + Long.BYTES <= firstLength) {
            return first.getLong(firstOffset + (int) index);
        }
        return getWrapped(index, Long.BYTES);
    }

    /** Sets the big-endian long at an index within the segment. */
    public void putLong(long index, long value) {
        Objects.checkFromIndexSize(index, Long.BYTES, length);
        if (index + Long.BYTES <= firstLength) {
            first.putLong(firstOffset + (int) index, value);
        } else {
            putWrapped(index, Long.BYTES, value);
        }
    }

    private byte byteAt(long index) {
        return index < firstLength ? first.get(firstOffset + (int) index) : second.get((int) index - firstLength);
    }

    private void setByteAt(long index, byte value) {
        if (index < firstLength) {
            first.put(firstOffset + (int) index, value);
        } else {
            second.put((int) index - firstLength, value);
        }
    }

    private long getWrapped(long index, int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << Byte.SIZE | byteAt(index + i) & 0xff;
        }
        return value;
    }

    private void putWrapped(long index, int bytes, long value) {
        for (int i = 0; i < bytes; i++) {
            setByteAt(index + i, (byte) (value >> Byte.SIZE * (bytes - 1 - i)));
        }
    }

    /**
     * Copies {@code count} bytes of the segment, starting at {@code index}, to the array, starting at {@code offset}.
     */
    public void get(long index, byte[] into, int offset, int count) {
        Objects.checkFromIndexSize(index, count, length);
        int head = (int) Math.max(0, Math.min(count, firstLength - index));
        if (head > 0) {
            first.get(firstOffset + (int) index, into, offset, head);
        }
        if (head < count) {
            second.get((int) (index + head) - firstLength, into, offset + head, count - head);
        }
    }

    /**
     * Copies {@code count} bytes of the array, starting at {@code offset}, to the segment, starting at {@code index}.
     */
    public void put(long index, byte[] from, int offset, int count) {
        Objects.checkFromIndexSize(index, count, length);
        int head = (int) Math.max(0, Math.min(count, firstLength - index));
        if (head > 0) {
            first.put(firstOffset + (int) index, from, offset, head);
        }
        if (head < count) {
            second.put((int) (index + head) - firstLength, from, offset + head, count - head);
        }
    }

    /**
     * Copies {@code count} bytes of the buffer, starting at {@code offset}, to the segment, starting at {@code index}.
     * Ignores the buffer's position.
     */
    public void put(long index, ByteBuffer from, int offset, int count) {
        Objects.checkFromIndexSize(index, count, length);
        int head = (int) Math.max(0, Math.min(count, firstLength - index));
        if (head > 0) {
            first.put(firstOffset + (int) index, from, offset, head);
        }
        if (head < count) {
            second.put((int) (index + head) - firstLength, from, offset + head, count - head);
        }
    }

    @Override
    public String toString() {
        return vecCount < 0 ? name : name + " of buffer " + bufferId + " position=" + position + " length=" + length;
    }
}
