package io.rocketbufs.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page-aligned range of one slab, counted by leases.
 *
 * <p><i>Thread-safety:</i> any thread. Who writes to the memory is the users' agreement.
 *
 * <p><i>Ownership:</i> it begins with one lease, its allocator's; each {@link #retain()} adds one, and the last
 * {@link #release()} gives the memory back to its pool, which may hand it out again. Use an address or a window only
 * under a lease. Leases and windows stay usable after the pool is closed, but closing it clears the memory.
 */
public final class Region {
    private final MemoryPool pool;
    private final Slab slab;
    private final long address;
    private final long length;
    private final AtomicInteger leases = new AtomicInteger(1);

    Region(MemoryPool pool, FreeRange range) {
        this.pool = pool;
        this.slab = range.slab();
        this.address = range.address();
        this.length = range.length();
    }

    /** Returns the page-aligned address of the first byte. */
    public long address() {
        return address;
    }

    /** Returns the length in bytes: what was asked for, rounded up to whole pages. */
    public long length() {
        return length;
    }

    /** Returns the slab that this region lies in. */
    public Slab slab() {
        return slab;
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
     * Gives one lease back; with the last one the memory returns to its pool, which clears it before it hands it out.
     * Takes microseconds, whatever the length: a region of more than 256 KiB is cleared by another thread.
     *
     * @throws IllegalStateException if the last lease has been released
     */
    public void release() {
        int before = leases.getAndUpdate(count -> count == 0 ? 0 : count - 1);
        if (before == 0) {
            throw released();
        }
        if (before == 1) {
            pool.reclaim(this);
        }
    }

    /**
     * Returns a new direct buffer over a part of this region, big-endian, with position 0 and this length as capacity.
     * It costs a native call and an entry at a cleaner: make one per buffer and slice it, not one per message.
     *
     * @throws IllegalArgumentException if the part is not inside the region
     * @throws IllegalStateException if the last lease has been released
     */
    public ByteBuffer window(long offset, int length) {
        if (offset < 0 || length < 0 || offset > this.length - length) {
            throw new IllegalArgumentException("window outside of the region: offset=" + offset + ", length=" + length
                    + ", region length=" + this.length);
        }
        if (leases.get() == 0) {
            throw released();
        }
        return slab.window(address + offset, length);
    }

    private IllegalStateException released() {
        return new IllegalStateException(
                "region is released: slab=" + slab.id() + ", address=" + address + ", length=" + length);
    }
}
