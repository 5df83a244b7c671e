package io.rocketbufs.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;

/**
 * A pool of off-heap regions, cut from slabs that it reserves as needed and keeps until it is closed.
 *
 * <p>Memory comes from mmap: a reservation is address space only, and a page commits when first touched. The pages of
 * every released region go back to the operating system, whatever its length: the one call that does so also clears it,
 * and needs no page that was not committed. Only where a device knows the pages ({@link Slab#beginRegistration()}) are
 * they cleared in place. Where mmap is not available, direct buffers stand in, see {@link #kind()}: they commit at
 * once, and no slab reaches 2 GiB.
 *
 * <p>No range is handed out before it has been cleared, whatever fails: where clearing fails, the range stays unused.
 * Both ways to clear take time in proportion to the length, 21 ms for 256 MiB of written pages that go back and 4 ms in
 * place on the machine where this was measured ({@code RegionReleaseBenchmark}). The releasing thread is often a
 * worker. So it clears at most 256 KiB itself; a daemon thread, {@code rocketbufs-memory-clearer}, clears longer
 * regions in steps of that length. It begins with the first allocation of such a region and ends after {@link #close}.
 * Memory that waits for it counts as reserved and not as allocated. If nothing free is long enough while more than a
 * slab's length waits, {@link #allocate} clears on the calling thread, at most as many bytes as it was asked for.
 * Otherwise releases that outrun the daemon thread would make the pool grow without bound.
 *
 * <p><i>Thread-safety:</i> any thread; calls lock, and may make a system call, but clear no memory under the pool's
 * lock. Not for the data path.
 *
 * <p><i>Ownership:</i> the pool owns its slabs, and the caller of {@link #allocate} owns its region.
 *
 * <p><i>Source:</i> RocketBufs 3.1: buffers take their memory from pools that the framework manages, so that a device
 * has few registrations. Committing on demand is an addition; the paper does not specify it.
 */
public final class MemoryPool implements AutoCloseable {
    /** 64 MiB: 64 buffers of the default capacity in one registration. */
    public static final long DEFAULT_SLAB_LENGTH = 64L << 20;

    private final PageSource source;
    private final long slabLength;

    private final Object lock = new Object();
    private final List<Slab> slabs = new ArrayList<>();
    private final FreeRanges free = new FreeRanges();
    private final UnclearedRanges uncleared;
    private long reservedLength;
    private long allocatedLength;
    private boolean closed;

    /**
     * Creates an empty pool; nothing is reserved before the first allocation.
     *
     * @param slabLength bytes, rounded up to whole pages
     * @throws IllegalArgumentException if slabLength is not positive
     */
    public MemoryPool(long slabLength) {
        this(slabLength, PageSource.forThisMachine());
    }

    MemoryPool(long slabLength, PageSource source) {
        this(slabLength, source, UnclearedRanges.newThread());
    }

    /** Creates an empty pool that clears long regions on the given executor. */
    MemoryPool(long slabLength, PageSource source, ExecutorService background) {
        requirePositive("slabLength", slabLength);
        this.source = source;
        this.slabLength = source.roundUp(slabLength);
        this.uncleared = new UnclearedRanges(background, this::addFree);
    }

    /** Returns the source of the memory: {@code mmap}, or {@code direct (…)} with the reason why mmap is not used. */
    public String kind() {
        return source.kind();
    }

    /**
     * Allocates a region of this many bytes, rounded up to whole pages, with one lease. Its bytes are zero, unless a
     * stale window of a former region was written to. A region longer than a slab gets a slab of its own.
     *
     * @throws IllegalArgumentException if length is not positive
     * @throws IllegalStateException if the pool is closed
     * @throws MemoryException if the operating system refuses memory, or the thread that will clear a long region
     */
    public Region allocate(long length) {
        requirePositive("length", length);
        long rounded = source.roundUp(length);
        if (rounded > UnclearedRanges.STEP_LENGTH) {
            uncleared.prepare();
        }
        clearFor(rounded);
        synchronized (lock) {
            if (closed) {
                throw new IllegalStateException("pool is closed: length=" + length);
            }
            FreeRange range = free.take(rounded).orElseGet(() -> takeFromNewSlab(length));
            range.slab().regionTaken();
            allocatedLength += rounded;
            return new Region(this, range);
        }
    }

    private void clearFor(long length) {
        long left = length;
        while (left > 0 && uncleared.length() > slabLength && !hasFree(length)) {
            long cleared = uncleared.clearStep();
            if (cleared == 0) {
                return; // other threads are clearing the last steps
            }
            left -= cleared;
        }
    }

    private boolean hasFree(long length) {
        synchronized (lock) {
            return free.has(length);
        }
    }

    private FreeRange takeFromNewSlab(long length) {
        Slab slab = reserve(length);
        slabs.add(slab);
        reservedLength += slab.length();
        free.add(new FreeRange(slab, slab.address(), slab.length()));
        return free.take(source.roundUp(length)).orElseThrow();
    }

    private Slab reserve(long length) {
        long reserved = Math.max(source.roundUp(length), slabLength);
        try {
            return new Slab(source.reserve().apply(reserved));
        } catch (MemoryException e) {
            throw new MemoryException(
                    "no memory: length=" + length + ", slab=" + reserved + ", allocated=" + allocatedLength
                            + ", reserved=" + reservedLength + ", slabs=" + slabs.size() + ": " + e.getMessage(),
                    e);
        }
    }

    /** Takes back a region after its last lease. It can be allocated again when it has been cleared. */
    void reclaim(Region region) {
        FreeRange range = new FreeRange(region.slab(), region.address(), region.length());
        synchronized (lock) {
            allocatedLength -= range.length();
        }
        if (range.length() <= UnclearedRanges.STEP_LENGTH) {
            range.slab().clear(range.address(), range.length());
            addFree(range);
        } else {
            uncleared.add(range);
        }
        range.slab().regionReleased();
    }

    private void addFree(FreeRange range) {
        synchronized (lock) {
            if (!closed) {
                free.add(range);
            }
        }
    }

    /** Returns the number of slabs; 0 after close. */
    public long slabCount() {
        synchronized (lock) {
            return slabs.size();
        }
    }

    /** Returns the bytes of address space in slabs; 0 after close. */
    public long reservedLength() {
        synchronized (lock) {
            return reservedLength;
        }
    }

    /** Returns the bytes of released regions that have not been cleared yet. */
    long unclearedLength() {
        return uncleared.length();
    }

    /** Returns the bytes in regions that are not released, also after close. */
    public long allocatedLength() {
        synchronized (lock) {
            return allocatedLength;
        }
    }

    /**
     * Ends allocation and returns all physical pages at once, including those of regions not yet released: they read as
     * zero afterwards, and commit again where they are written. Pages that a device knows are returned after its last
     * registration. Addresses stay mapped as {@link Slab} says. Idempotent.
     */
    @Override
    public void close() {
        List<Slab> retired;
        synchronized (lock) {
            closed = true;
            retired = List.copyOf(slabs);
            slabs.clear();
            free.clear();
            reservedLength = 0;
        }
        retired.forEach(Slab::retire);
        uncleared.close();
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + " must be positive: " + name + "=" + value);
        }
    }
}
