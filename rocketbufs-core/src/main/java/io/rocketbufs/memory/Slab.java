package io.rocketbufs.memory;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A page-aligned range of address space that regions are cut from, and the unit of registration with a device.
 *
 * <p><i>Thread-safety:</i> any thread.
 *
 * <p><i>Ownership:</i> the pool reserves it. Its address range is unmapped when three conditions hold: all its regions
 * are released, the slab is unreachable (from its pool, while open; a region; a device's registration), and no window
 * or buffer derived from one is reachable. A stale window therefore reads zeros or its successor's bytes, but never
 * crashes the process. A region that becomes unreachable without release keeps the address range permanently: a lease
 * may stand for an address that only a device or the kernel still uses.
 */
public final class Slab {
    // Ids are unique within the process, over all pools; nothing else is shared by slabs.
    private static final AtomicInteger NEXT_ID = new AtomicInteger();
    private static final Cleaner CLEANER = Cleaner.create(Slab::cleanerThread);

    private final int id = NEXT_ID.getAndIncrement();
    private final Pages pages;
    private final AtomicInteger regionCount;
    private int registrationCount;
    private boolean retired;

    Slab(Pages pages) {
        AtomicInteger regionCount = new AtomicInteger();
        this.pages = pages;
        this.regionCount = regionCount;
        CLEANER.register(this, unmapping(pages, regionCount));
    }

    /** Static, so that the action cannot refer to the slab that it waits for. */
    private static Runnable unmapping(Pages pages, AtomicInteger regionCount) {
        return () -> {
            if (regionCount.get() == 0) {
                pages.unmap();
            }
        };
    }

    private static Thread cleanerThread(Runnable work) {
        Thread thread = new Thread(work, "rocketbufs-memory-cleaner");
        thread.setDaemon(true);
        return thread;
    }

    /** Returns a number that no other slab of this process has or had. */
    public int id() {
        return id;
    }

    /** Returns the page-aligned address of the first byte; it is mapped for as long as this slab is reachable. */
    public long address() {
        return pages.address();
    }

    /** Returns the length in bytes, whole pages. */
    public long length() {
        return pages.length();
    }

    /**
     * Must be called before a device registers any part of this slab. Until the matching {@link #endRegistration()}, no
     * address of the slab changes its physical page.
     *
     * <p>A device keeps the pages that it found at registration. Giving them back to the operating system, as happens
     * with released memory otherwise, would put other pages behind the same addresses: device and processor would no
     * longer see the same bytes, without an error. So memory that is released meanwhile is cleared in place. Which of
     * the two applies is decided for each step of a long range.
     */
    public synchronized void beginRegistration() {
        registrationCount++;
    }

    /**
     * Must be called after a device has released a registration.
     *
     * @throws IllegalStateException if no registration is open
     */
    public synchronized void endRegistration() {
        if (registrationCount == 0) {
            throw new IllegalStateException("no registration is open: slab=" + id);
        }
        registrationCount--;
        dropIfRetired();
    }

    /**
     * Makes a range read as zero, and returns its pages to the system unless a device knows them. The slab is locked in
     * the meantime, so that no registration begins; pass a long range in steps.
     */
    synchronized void clear(long address, long length) {
        long offset = address - address();
        if (registrationCount == 0) {
            pages.drop(offset, length);
        } else {
            pages.zero(offset, length);
        }
    }

    /** Returns all pages to the system, now or when no device knows them; the addresses stay mapped. */
    synchronized void retire() {
        retired = true;
        dropIfRetired();
    }

    private void dropIfRetired() {
        if (retired && registrationCount == 0) {
            pages.drop(0, pages.length());
        }
    }

    void regionTaken() {
        regionCount.incrementAndGet();
    }

    void regionReleased() {
        regionCount.decrementAndGet();
    }

    /**
     * Returns a new buffer that keeps this slab reachable, as do all slices and duplicates of it.
     *
     * <p>jffi's buffers keep nothing reachable, but buffers derived from one keep it reachable. So each is registered
     * with the cleaner, with an action whose only purpose is to refer to the slab until the buffer is unreachable.
     * Slicing one buffer over the whole slab would need fewer objects, but a buffer is limited to 2 GiB and a slab is
     * not.
     */
    ByteBuffer window(long address, int length) {
        ByteBuffer window = pages.view(address - address(), length);
        CLEANER.register(window, () -> Reference.reachabilityFence(this));
        return window.order(ByteOrder.BIG_ENDIAN);
    }
}
