package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Slab;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiException;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;

/**
 * The registered memory of one domain. It consists of slabs to send from and read into, each registered once, and of
 * the parts of regions to which peers have rights.
 *
 * <p>Slabs are registered only if the provider requires local registrations.
 *
 * <p><b>Thread-safety:</b> any thread may use it. <b>Ownership:</b> owns all registrations. A slab that is no longer
 * used closes its own registration; {@link #close} closes the remaining registrations. A registered slab stays mapped.
 *
 * <p><b>Source:</b> RocketBufs 3.1: few registrations and few entries in the NIC's cache.
 */
final class RdmaMemory {
    private final Ofi ofi;
    private final long domain;
    private final boolean local;
    private final boolean virtualAddresses;
    private final boolean pinned;
    private final String device;
    private static final int KEY_ATTEMPTS = 8;

    private final LongSupplier keys;
    private final Map<Slab, Registration> slabs = new ConcurrentHashMap<>();
    private final Map<Slab, Registration> words = new ConcurrentHashMap<>();
    private final Set<Registration> open = ConcurrentHashMap.newKeySet();
    /** Held while a registration begins or ends, possibly by several threads. */
    private final Lock changing;
    /** Held to prevent registrations from beginning or ending. */
    private final Lock unchanging;

    private boolean closed;

    /**
     * Creates the memory of a domain, initially without registrations.
     *
     * @param info describes the device
     * @param keys supplies the remote keys if the provider does not choose them; a key already in use is skipped
     */
    RdmaMemory(Ofi ofi, long domain, OfiInfo info, LongSupplier keys) {
        this.keys = keys;
        this.ofi = ofi;
        this.domain = domain;
        this.local = (info.mrMode() & OfiConstants.FI_MR_LOCAL) != 0;
        this.virtualAddresses = (info.mrMode() & OfiConstants.FI_MR_VIRT_ADDR) != 0;
        this.pinned = (info.mrMode() & OfiConstants.FI_MR_ALLOCATED) != 0;
        this.device = info.provider() + " device " + info.domainName();
        ReadWriteLock lock = new ReentrantReadWriteLock();
        changing = lock.readLock();
        unchanging = lock.writeLock();
    }

    /** A registration of memory with the device. */
    final class Registration {
        private final Slab slab;
        private final long mr;
        private final long base;
        private final long key;
        private final long descriptor;

        private Registration(Slab slab, long address, long length, long access) {
            this.slab = slab;
            if (pinned) {
                slab.beginRegistration();
            }
            try {
                mr = register(slab, address, length, access);
            } catch (RuntimeException e) {
                unpin();
                throw e;
            }
            base = virtualAddresses ? address : 0;
            key = ofi.mrKey(mr);
            descriptor = ofi.mrDesc(mr);
            open.add(this);
        }

        /** Returns the base address to which a peer adds its offsets. */
        long base() {
            return base;
        }

        long key() {
            return key;
        }

        /** Returns the descriptor of the registration for use in work structures. */
        long descriptor() {
            return descriptor;
        }

        /** Closes the registration. Idempotent. */
        void close() {
            changing.lock();
            try {
                if (open.remove(this)) {
                    ofi.close(mr);
                    unpin();
                }
            } finally {
                changing.unlock();
            }
        }

        private void unpin() {
            if (pinned) {
                slab.endRegistration();
            }
        }
    }

    /**
     * Registers memory.
     *
     * @throws TransportException with code CLOSED after {@link RdmaMemory#close}, because the domain may no longer
     *     exist
     */
    private Registration begin(Slab slab, long address, long length, long access) {
        changing.lock();
        try {
            if (closed) {
                throw new TransportException(
                        Code.CLOSED, device + " cannot register " + length + " bytes: the transport is closed");
            }
            return new Registration(slab, address, length, access);
        } finally {
            changing.unlock();
        }
    }

    private long register(Slab slab, long address, long length, long access) {
        for (int attempt = 1; ; attempt++) {
            try {
                return ofi.mrReg(domain, address, length, access, keys.getAsLong());
            } catch (OfiException e) {
                // Another registration may have the same key. This is extremely unlikely to happen twice in a row,
                // unless the provider shortens keys.
                if (e.errno() != OfiConstants.FI_ENOKEY) {
                    throw RdmaFailures.register(device, length, slab.writable(), e);
                }
                if (attempt == KEY_ATTEMPTS) {
                    throw RdmaFailures.noKey(device, length, KEY_ATTEMPTS, e);
                }
            }
        }
    }

    /**
     * Grants peers rights to part of a region.
     *
     * @throws IllegalArgumentException if the part is not inside the region, or is read-only and the rights include
     *     more than {@link Right#READ}. Also thrown if the part does not start at a word boundary and the rights
     *     include {@link Right#ATOMIC}
     */
    Registration grant(Region region, long offset, long length, Set<Right> rights) {
        if (offset < 0 || length < 1 || offset > region.length() - length) {
            throw new IllegalArgumentException("the part is not inside the region: offset=" + offset + ", length="
                    + length + ", region length=" + region.length());
        }
        boolean atomic = rights.contains(Right.ATOMIC);
        boolean writes = atomic || rights.contains(Right.WRITE);
        if (writes && !region.writable()) {
            throw new IllegalArgumentException("no peer can write to a read-only region");
        }
        if (rights.isEmpty() || atomic && offset % Long.BYTES != 0) {
            throw new IllegalArgumentException("cannot grant rights=" + rights + " at offset=" + offset
                    + ": at least one right is needed, and words begin at multiples of 8");
        }
        boolean reads = atomic || rights.contains(Right.READ);
        long access = (writes ? OfiConstants.FI_REMOTE_WRITE : 0) | (reads ? OfiConstants.FI_REMOTE_READ : 0);
        return begin(region.slab(), region.address() + offset, length, access);
    }

    /**
     * Returns the descriptor for sending from a slab and for receiving and reading into it. Registers the slab on the
     * first call.
     */
    long descriptor(Slab slab) {
        if (!local) {
            return 0;
        }
        return slabs.computeIfAbsent(slab, this::whole).descriptor();
    }

    /**
     * Returns the registration through which the device changes words of this side's own memory. Registers the slab on
     * the first call. The registration's key is never sent to a peer.
     */
    Registration ownWords(Slab slab) {
        return words.computeIfAbsent(
                slab, each -> untilUnused(words, each, OfiConstants.FI_REMOTE_WRITE | OfiConstants.FI_REMOTE_READ));
    }

    /** Registers a slab for as long as the slab is in use. The device must not receive into read-only memory. */
    private Registration whole(Slab slab) {
        long access = OfiConstants.FI_SEND
                | OfiConstants.FI_WRITE
                | (slab.writable() ? OfiConstants.FI_RECV | OfiConstants.FI_READ : 0);
        return untilUnused(slabs, slab, access);
    }

    private Registration untilUnused(Map<Slab, Registration> registrations, Slab slab, long access) {
        Registration registration = begin(slab, slab.address(), slab.length(), access);
        slab.whenUnused(() -> {
            registrations.remove(slab);
            registration.close();
        });
        return registration;
    }

    /**
     * Closes all registrations and refuses new registrations. Must be called after the endpoints have been closed and
     * before the domain is closed. Other threads may concurrently register memory or close a registration.
     */
    void close() {
        unchanging.lock();
        closed = true;
        unchanging.unlock();
        open.forEach(Registration::close);
        slabs.clear();
        words.clear();
        // Waits until other threads have finished closing registrations.
        unchanging.lock();
        unchanging.unlock();
    }
}
