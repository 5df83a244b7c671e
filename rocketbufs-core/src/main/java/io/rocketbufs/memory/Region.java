package io.rocketbufs.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * A range of one slab that starts on a page boundary, with a count of leases.
 *
 * <p><i>Thread-safety:</i> any thread. Users of the region must agree on which thread writes to the memory.
 *
 * <p><i>Ownership:</i> a region starts with one lease, which belongs to its allocator. Each {@link #retain()} adds a
 * lease. The last {@link #release()} returns the memory to its owner: a pool, which may allocate the memory again, or
 * the {@link MappedFile} that maps it. Use an address or a window only while holding a lease. Leases and windows stay
 * usable after the pool is closed, but closing it clears the memory.
 */
public final class Region {
    private static final int WINDOW_SHIFT = 30;
    /** Maximum length in bytes of a range that {@link #range} appends: 1 GiB. */
    public static final int MAX_RANGE = 1 << WINDOW_SHIFT;
    /** The result of {@link #openFile} if the memory is not a whole file. */
    public static final int NO_FILE = -1;

    private final Consumer<Region> owner;
    private final Slab slab;
    private final long address;
    private final long length;
    private final SharedFile file;
    private final AtomicInteger leases = new AtomicInteger(1);
    /** The windows for {@link #range}, each created on first use. */
    private volatile AtomicReferenceArray<ByteBuffer> windows;

    /** The file that a region maps. */
    interface SharedFile {
        /** Opens the file for another process. Returns the descriptor, or {@link #NO_FILE}. */
        int open(boolean isForWriting);
    }

    /** Creates a region with one lease. {@code owner} is called when the last lease has been released. */
    Region(Slab slab, long address, long length, Consumer<Region> owner) {
        this(slab, address, length, owner, isForWriting -> NO_FILE);
    }

    /** Creates a region like {@link #Region(Slab, long, long, Consumer)}, but over a file that can be opened again. */
    Region(Slab slab, long address, long length, Consumer<Region> owner, SharedFile file) {
        this.file = file;
        this.owner = owner;
        this.slab = slab;
        this.address = address;
        this.length = length;
    }

    /** Returns the page-aligned address of the first byte. */
    public long address() {
        return address;
    }

    /** Returns the length in bytes. For a region of a pool, this is the requested length rounded up to whole pages. */
    public long length() {
        return length;
    }

    /** Returns the slab that contains this region. */
    public Slab slab() {
        return slab;
    }

    /** Returns false if the memory is read-only. Its windows are then read-only, and no peer may write to it. */
    public boolean writable() {
        return slab.writable();
    }

    /**
     * Opens the file that this region maps, for reading only.
     *
     * @return a new descriptor, which the caller must close. The result is {@link #NO_FILE} if this region is not a
     *     whole file (for example, memory of a pool), if the file is closed, or if another process could use the
     *     descriptor to write to the memory
     */
    public int openFile() {
        return file.open(false);
    }

    /**
     * Opens the file that this region maps, for reading and writing, if it is memory for words
     * ({@link MappedFile#words}).
     *
     * @return a new descriptor, which the caller must close; {@link #NO_FILE} if this region is not memory for words,
     *     or if the file is closed
     */
    public int openWords() {
        return file.open(true);
    }

    /**
     * Adds a lease.
     *
     * @throws IllegalStateException if the last lease has been released
     */
    public void retain() {
        if (leases.getAndUpdate(count -> count == 0 ? 0 : count + 1) == 0) {
            throw released();
        }
    }

    /**
     * Releases one lease. The last release returns the memory to its owner; a pool clears it before allocating it
     * again. Takes microseconds regardless of the length, because another thread clears a region of more than 256 KiB.
     *
     * @throws IllegalStateException if the last lease has been released
     */
    public void release() {
        int before = leases.getAndUpdate(count -> count == 0 ? 0 : count - 1);
        if (before == 0) {
            throw released();
        }
        if (before == 1) {
            owner.accept(this);
        }
    }

    /**
     * Returns a new direct buffer over a part of this region, big-endian, with position 0 and a capacity of
     * {@code length}. Each call makes a native call and registers a cleaner. Therefore, create one window per buffer
     * and slice that window, instead of creating one window per message.
     *
     * @throws IllegalArgumentException if the part is not inside the region
     * @throws IllegalStateException if the last lease has been released
     */
    public ByteBuffer window(long offset, int length) {
        if (offset < 0 || length < 0 || offset > this.length - length) {
            throw new IllegalArgumentException("the window is not inside the region: offset=" + offset + ", length="
                    + length + ", region length=" + this.length);
        }
        if (leases.get() == 0) {
            throw released();
        }
        return slab.window(address + offset, length);
    }

    /**
     * Appends a range of this region to a list, as one vec. Unlike {@link #window}, allocates nothing if the window
     * that covers the range has been used before. The caller must hold a lease.
     *
     * @param length length in bytes, at most {@link #MAX_RANGE}
     * @return false if the list is full and nothing has been appended
     * @throws IllegalArgumentException if the range is not inside the region, or too long
     */
    public boolean range(long offset, int length, Vecs into) {
        if (offset < 0 || length < 0 || length > MAX_RANGE || offset > this.length - length) {
            throw new IllegalArgumentException("the range is not inside the region, or longer than " + MAX_RANGE
                    + ": offset=" + offset + ", length=" + length + ", region length=" + this.length);
        }
        if (length == 0) {
            return true;
        }
        int index = (int) (offset >> WINDOW_SHIFT);
        return into.add(shared(index), (int) (offset - ((long) index << WINDOW_SHIFT)), length, address + offset);
    }

    /** Returns the window that starts at {@code index} GiB. Windows overlap, so each range lies within one of them. */
    private ByteBuffer shared(int index) {
        AtomicReferenceArray<ByteBuffer> all = windows;
        if (all == null) {
            synchronized (this) {
                if (windows == null) {
                    windows = new AtomicReferenceArray<>((int) ((length - 1 >> WINDOW_SHIFT) + 1));
                }
                all = windows;
            }
        }
        ByteBuffer made = all.get(index);
        if (made == null) {
            long start = (long) index << WINDOW_SHIFT;
            all.compareAndSet(index, null, window(start, (int) Math.min(Integer.MAX_VALUE, length - start)));
            made = all.get(index);
        }
        return made;
    }

    /**
     * Returns the physical pages of a range to the system. The range stays usable and reads as zero. Takes about 20
     * microseconds for 256 KiB of written pages, during which the slab cannot be registered. The caller must hold a
     * lease, and nothing else may use the range during the call.
     *
     * @param offset a multiple of the page length
     * @param length a multiple of the page length
     * @return false if nothing has changed, because the pages are registered with a device, are locked in memory, or do
     *     not come from mmap
     * @throws IllegalArgumentException if the range is not inside the region
     */
    public boolean returnPages(long offset, long length) {
        if (offset < 0 || length < 0 || offset > this.length - length) {
            throw new IllegalArgumentException("the range is not inside the region: offset=" + offset + ", length="
                    + length + ", region length=" + this.length);
        }
        return slab.tryDrop(address + offset, length);
    }

    private IllegalStateException released() {
        return new IllegalStateException(
                "the region has been released: slab=" + slab.id() + ", address=" + address + ", length=" + length);
    }
}
