package io.rocketbufs.memory;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A pool of off-heap regions, cut from slabs that it reserves as needed. The pool keeps one slab without regions, so
 * that creating and removing a buffer is cheap, and returns all other unused slabs to the operating system. A later
 * garbage collection unmaps the address ranges of the returned slabs. The pool requests a collection if the system
 * refuses to reserve another slab.
 *
 * <p>Memory comes from mmap: a reservation uses only address space, and a page is committed when it is first touched.
 * The pages of every released region are returned to the operating system, regardless of the region's length. The same
 * system call clears the memory, without touching pages that were never committed. Pages that are registered with a
 * device ({@link Slab#beginRegistration()}) are cleared in place instead. If mmap is not available, the pool uses
 * direct buffers (see {@link #kind()}). Direct buffers are committed immediately and limit a slab to less than 2 GiB.
 *
 * <p>Every range is cleared before it is allocated again; if clearing fails, the range stays unused. The time for
 * clearing is proportional to the length. For 256 MiB of written pages, {@code RegionReleaseBenchmark} measured 21 ms
 * to return the pages and 4 ms to clear them in place. The releasing thread is often a worker, so it clears at most 256
 * KiB itself. A daemon thread, {@code rocketbufs-memory-clearer}, clears longer regions in steps of that length. The
 * thread starts with the first allocation of such a region and ends after {@link #close}.
 *
 * <p>Memory that has not been cleared yet counts as reserved, not as allocated. The thread that calls {@link #allocate}
 * clears memory if no free range is long enough and more than a slab's length is waiting to be cleared. It clears at
 * most as many bytes as it requests. Otherwise, the pool would grow without bound if releases outpaced the daemon
 * thread.
 *
 * <p><i>Thread-safety:</i> any thread. Methods acquire the pool's lock and may make a system call, but do not clear
 * memory while they hold the lock. Not for the data path.
 *
 * <p><i>Ownership:</i> the pool owns its slabs, and the caller of {@link #allocate} owns the region.
 *
 * <p><i>Source:</i> RocketBufs 3.1: buffers take their memory from pools that the framework manages, so that a device
 * has few registrations. Committing on demand is an addition that the paper does not specify.
 */
public final class MemoryPool implements AutoCloseable {
    /** Default length of a slab: 64 MiB, so that one registration covers 64 buffers of the default capacity. */
    public static final long DEFAULT_SLAB_LENGTH = 64L << 20;

    /**
     * Longest pause after a garbage collection. During the pause, another thread unmaps the slabs that the collection
     * found.
     */
    private static final long LONGEST_PAUSE_MS = 128;

    private final PageSource source;
    private final long slabLength;

    private final Object lock = new Object();
    private final Set<Slab> slabs = new HashSet<>();
    private final FreeRanges free = new FreeRanges();
    private final UnclearedRanges uncleared;
    /** The slab that became free most recently, which may be in use again; null if no slab has become free yet. */
    private Slab spare;
    /** True if a slab has been returned; the slab may not have been unmapped yet. */
    private boolean hasReturned;

    private long reservedLength;
    private long allocatedLength;
    private boolean closed;

    /**
     * Creates an empty pool; nothing is reserved before the first allocation.
     *
     * @param slabLength length of a slab in bytes, rounded up to whole pages
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

    /** Returns the source of the memory: {@code mmap}, or {@code direct (…)} with the reason for not using mmap. */
    public String kind() {
        return source.kind();
    }

    /**
     * Allocates a region of the given length, rounded up to whole pages, with one lease. The bytes are zero, unless a
     * stale window of an earlier region was written to. A region that is longer than a slab occupies a separate slab.
     *
     * @throws IllegalArgumentException if length is not positive
     * @throws IllegalStateException if the pool is closed
     * @throws MemoryException if the operating system refuses to provide the memory or to start the thread that clears
     *     long regions
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
                throw new IllegalStateException("the pool is closed: length=" + length);
            }
            FreeRange range = free.take(rounded).orElseGet(() -> takeFromNewSlab(length));
            range.slab().regionTaken();
            allocatedLength += rounded;
            return new Region(range.slab(), range.address(), range.length(), this::reclaim);
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
            return new Slab(reservePages(reserved));
        } catch (MemoryException e) {
            throw new MemoryException(
                    "cannot reserve memory: length=" + length + ", slab=" + reserved + ", allocated=" + allocatedLength
                            + ", reserved=" + reservedLength + ", slabs=" + slabs.size() + ": " + e.getMessage(),
                    e);
        }
    }

    /** Reserves pages. If the system refuses, tries again once the returned slabs may have been unmapped. */
    private Pages reservePages(long length) {
        for (long pauseMs = 1; hasReturned && pauseMs <= LONGEST_PAUSE_MS; pauseMs *= 2) {
            try {
                return source.reserve().apply(length);
            } catch (MemoryException e) {
                System.gc();
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
            }
        }
        return source.reserve().apply(length);
    }

    /**
     * Reclaims a region after its last lease has been released. The memory can be allocated again once it has been
     * cleared.
     */
    private void reclaim(Region region) {
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
        Slab slab = range.slab();
        Slab surplus;
        synchronized (lock) {
            if (closed) {
                return;
            }
            free.add(range);
            if (!isFree(slab)) {
                return;
            }
            surplus = spare != null && spare != slab && isFree(spare) ? spare : null;
            spare = slab;
            if (surplus == null) {
                return;
            }
            free.remove(whole(surplus));
            slabs.remove(surplus);
            reservedLength -= surplus.length();
            hasReturned = true;
        }
        surplus.retire();
    }

    private boolean isFree(Slab slab) {
        return free.contains(whole(slab));
    }

    private static FreeRange whole(Slab slab) {
        return new FreeRange(slab, slab.address(), slab.length());
    }

    /** Returns the number of slabs; 0 after close. */
    public long slabCount() {
        synchronized (lock) {
            return slabs.size();
        }
    }

    /** Returns the number of bytes of address space that slabs occupy; 0 after close. */
    public long reservedLength() {
        synchronized (lock) {
            return reservedLength;
        }
    }

    /** Returns the number of bytes in released regions that have not been cleared yet. */
    long unclearedLength() {
        return uncleared.length();
    }

    /** Returns the number of bytes in regions that have not been released, even after close. */
    public long allocatedLength() {
        synchronized (lock) {
            return allocatedLength;
        }
    }

    /**
     * Stops allocation and immediately returns all physical pages, including those of regions not yet released. After
     * that, these regions read as zero, and their pages are committed again when they are written. Pages that are
     * registered with a device are returned after the slab's last registration has ended. Addresses stay mapped as
     * described in {@link Slab}. Idempotent.
     */
    @Override
    public void close() {
        List<Slab> retired;
        synchronized (lock) {
            closed = true;
            retired = List.copyOf(slabs);
            slabs.clear();
            spare = null;
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
