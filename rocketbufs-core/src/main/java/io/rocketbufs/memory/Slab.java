package io.rocketbufs.memory;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.StampedLock;

/**
 * A page-aligned range of address space from which regions are cut; the unit of registration with a device.
 *
 * <p><i>Thread-safety:</i> any thread.
 *
 * <p><i>Ownership:</i> a pool reserves the slab, or a {@link MappedFile} maps it. An open pool, a region, and a
 * device's registration each keep the slab reachable. The address range is unmapped once all regions have been released
 * and neither the slab nor any window or buffer derived from one is reachable. A stale window therefore reads zeros or
 * the bytes of a later region, but never crashes the process. If a region becomes unreachable without being released,
 * the address range stays mapped permanently: a lease may protect an address that only a device or the kernel still
 * uses.
 */
public final class Slab {
    // Ids are unique across all pools of the process. Slabs share nothing else.
    private static final AtomicInteger NEXT_ID = new AtomicInteger();
    private static final Cleaner CLEANER = Cleaner.create(Slab::cleanerThread);

    private final int id = NEXT_ID.getAndIncrement();
    private final Pages pages;
    private final AtomicInteger regionCount;
    /**
     * Held exclusively while registrations start or end, and shared while pages are returned. Threads that return pages
     * of different ranges therefore do not wait for one another.
     */
    private final StampedLock registrations = new StampedLock();

    private int registrationCount;
    private volatile boolean retired;
    private Runnable whenUnused = () -> {};

    Slab(Pages pages) {
        AtomicInteger regionCount = new AtomicInteger();
        this.pages = pages;
        this.regionCount = regionCount;
        CLEANER.register(this, unmapping(pages, regionCount));
    }

    /**
     * Returns the action that unmaps the pages. This method is static so that the action cannot refer to the slab,
     * because the slab would then never become unreachable.
     */
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

    /** Returns this slab's number, which is unique in the process and never reused. */
    public int id() {
        return id;
    }

    /** Returns the page-aligned address of the first byte; the range stays mapped while this slab is reachable. */
    public long address() {
        return pages.address();
    }

    /** Returns the length in bytes, a multiple of the page length. */
    public long length() {
        return pages.length();
    }

    /** Returns false if the memory is read-only. */
    public boolean writable() {
        return pages.writable();
    }

    /**
     * Adds an action that runs once, when the slab has no regions and can have no new ones. The pool or the file is
     * then closed, and all leases have been released. If this is already the case, the action runs immediately;
     * otherwise, it runs on the thread that releases the last lease or closes the pool. A device uses the action to end
     * its registration of the slab.
     */
    public void whenUnused(Runnable action) {
        synchronized (this) {
            if (!isUnused()) {
                Runnable earlier = whenUnused;
                whenUnused = () -> {
                    earlier.run();
                    action.run();
                };
                return;
            }
        }
        action.run();
    }

    private boolean isUnused() {
        return retired && regionCount.get() == 0;
    }

    /** Runs the actions once if the slab has become unused. Runs them without the lock, because they call a device. */
    private void runIfUnused() {
        Runnable actions;
        synchronized (this) {
            if (!isUnused()) {
                return;
            }
            actions = whenUnused;
            whenUnused = () -> {};
        }
        actions.run();
    }

    /**
     * Starts a registration. Must be called before a device registers any part of this slab. Until the matching
     * {@link #endRegistration()}, every address of the slab keeps its physical page.
     *
     * <p>A device keeps using the pages that were mapped at registration. If these pages were returned to the operating
     * system on release, other pages would be mapped at the same addresses. Device and processor would then see
     * different bytes, without any error. Memory that is released during a registration is therefore cleared in place.
     * For a long range, this is decided separately for each step.
     */
    public void beginRegistration() {
        long stamp = registrations.writeLock();
        registrationCount++;
        registrations.unlockWrite(stamp);
    }

    /**
     * Ends a registration. Must be called after the device has ended its own registration.
     *
     * @throws IllegalStateException if no registration is open
     */
    public void endRegistration() {
        long stamp = registrations.writeLock();
        try {
            if (registrationCount == 0) {
                throw new IllegalStateException("no registration is open: slab=" + id);
            }
            registrationCount--;
            dropIfRetired();
        } finally {
            registrations.unlockWrite(stamp);
        }
    }

    /**
     * Clears a range, and returns its pages to the system unless they are registered with a device. No registration can
     * start during the call, so clear a long range in steps.
     */
    void clear(long address, long length) {
        long offset = address - address();
        long stamp = registrations.readLock();
        try {
            if (registrationCount == 0) {
                pages.drop(offset, length);
            } else {
                pages.zero(offset, length);
            }
        } finally {
            registrations.unlockRead(stamp);
        }
    }

    /**
     * Returns the pages of a range to the system, which clears the range. If the pages are registered with a device, or
     * the system keeps them, changes nothing and returns false. No registration can start during the call.
     */
    boolean tryDrop(long address, long length) {
        long stamp = registrations.readLock();
        try {
            return registrationCount == 0 && pages.tryDrop(address - address(), length);
        } finally {
            registrations.unlockRead(stamp);
        }
    }

    /** Returns all pages to the system, immediately or when the last registration ends. The addresses stay mapped. */
    void retire() {
        long stamp = registrations.writeLock();
        try {
            retired = true;
            dropIfRetired();
        } finally {
            registrations.unlockWrite(stamp);
        }
        runIfUnused();
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
        if (regionCount.decrementAndGet() == 0) {
            runIfUnused();
        }
    }

    /**
     * Returns a new buffer that keeps this slab reachable, as do all slices and duplicates of the buffer.
     *
     * <p>A buffer from jffi keeps no other object reachable, but buffers derived from it keep the buffer itself
     * reachable. Each buffer is therefore registered with the cleaner. The only purpose of the cleaner's action is to
     * refer to the slab until the buffer is unreachable. Slicing one buffer over the whole slab would need fewer
     * objects, but a buffer is limited to 2 GiB, and a slab is not.
     */
    ByteBuffer window(long address, int length) {
        ByteBuffer window = pages.view(address - address(), length);
        CLEANER.register(window, () -> Reference.reachabilityFence(this));
        return window.order(ByteOrder.BIG_ENDIAN);
    }
}
