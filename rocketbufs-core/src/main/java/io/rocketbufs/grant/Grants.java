package io.rocketbufs.grant;

import io.rocketbufs.link.Link;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.GrantLayout;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;

/**
 * The memory areas that this side of a connection has granted, by id.
 *
 * <p><b>Thread-safety:</b> any thread creates grants; the worker looks them up without a lock.
 */
final class Grants {
    private final Link link;
    private final AtomicReferenceArray<GrantedMemory> byId = new AtomicReferenceArray<>(GrantLayout.MAX_COUNT);
    /** All grants that have not ended, including those whose ids have been freed. */
    private final Set<GrantedMemory> open = new HashSet<>();
    /** The ids that are in use. */
    private final BitSet ids = new BitSet(GrantLayout.MAX_COUNT);

    private int serial;
    private boolean closed;

    Grants(Link link) {
        this.link = link;
    }

    /** Grants the peer rights to a part of a region. */
    GrantedMemory grant(Region region, long offset, long length, Set<Right> rights, GrantCallback callback) {
        check(region, offset, length, rights);
        GrantName name = takeName();
        RemoteAccess access;
        try {
            access = register(region, offset, length, rights);
        } catch (RuntimeException e) {
            freeId(name.id());
            throw e;
        }
        GrantedMemory granted = new GrantedMemory(
                link, name, region, offset, length, rights, access, callback, ended -> freeId(ended.id()));
        if (!begin(granted)) {
            granted.onClosed();
            throw closed();
        }
        granted.end().thenRun(() -> forget(granted));
        return granted;
    }

    private static void check(Region region, long offset, long length, Set<Right> rights) {
        if (offset < 0 || length < 1 || offset > region.length() - length) {
            throw new IllegalArgumentException("the part is not inside the region: offset=" + offset + ", length="
                    + length + ", region length=" + region.length());
        }
        if (rights.isEmpty()) {
            throw new IllegalArgumentException("a grant requires at least one right: rights=" + rights);
        }
        if (!region.writable() && !rights.equals(Set.of(Right.READ))) {
            throw new IllegalArgumentException("the region is read-only: rights=" + rights);
        }
        if (rights.contains(Right.ATOMIC) && offset % Long.BYTES != 0) {
            throw new IllegalArgumentException(
                    "memory for atomic operations must begin at a multiple of 8: offset=" + offset);
        }
    }

    /**
     * Acquires a lease on the region and registers the memory. The caller must not hold the lock: a device may take
     * seconds to register memory, and the worker also needs the lock.
     */
    private RemoteAccess register(Region region, long offset, long length, Set<Right> rights) {
        Set<Right> offered = Rights.nativeOf(rights, link.capabilities());
        // A peer's own operations are not ordered with writes that arrive later, so memory that the peer may write is
        // not shared.
        boolean isShareable = !rights.contains(Right.WRITE) && offset == 0 && length == region.length();
        region.retain();
        try {
            if (!offered.isEmpty()) {
                return link.connection().grant(region, offset, length, offered);
            }
            return isShareable ? link.connection().share(region, rights) : RemoteAccess.NONE;
        } catch (RuntimeException e) {
            region.release();
            throw e;
        }
    }

    private synchronized GrantName takeName() {
        if (closed) {
            throw closed();
        }
        int id = ids.nextClearBit(0);
        if (id == GrantLayout.MAX_COUNT) {
            throw new TransportException(
                    TransportException.Code.RESOURCES,
                    "the connection to " + link.peer() + " has reached the limit of " + GrantLayout.MAX_COUNT
                            + " grants");
        }
        ids.set(id);
        return new GrantName(id, ++serial);
    }

    private TransportException closed() {
        return new TransportException(
                TransportException.Code.CLOSED, "the connection to " + link.peer() + " is closed");
    }

    /** Publishes a grant to the worker; returns false if the connection has ended. */
    private synchronized boolean begin(GrantedMemory granted) {
        if (!closed) {
            byId.set(granted.id(), granted);
            open.add(granted);
        }
        return !closed;
    }

    private synchronized void freeId(int id) {
        byId.set(id, null);
        ids.clear(id);
    }

    private synchronized void forget(GrantedMemory granted) {
        open.remove(granted);
    }

    /**
     * Returns the grant with the given id.
     *
     * @throws TransportException with code PROTOCOL if there is no such grant
     */
    GrantedMemory get(int id) {
        GrantedMemory granted = id >= 0 && id < GrantLayout.MAX_COUNT ? byId.get(id) : null;
        if (granted == null) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL, link.peer() + " used a grant that does not exist: id=" + id);
        }
        return granted;
    }

    /** Called on the worker when the peer confirms a revocation. */
    void onRevoked(int id, int revokedSerial) {
        GrantedMemory granted = get(id);
        if (granted.name().serial() != revokedSerial) {
            throw new TransportException(
                    TransportException.Code.PROTOCOL,
                    link.peer() + " sent REVOKED for serial=" + revokedSerial + " of grant " + granted.name());
        }
        granted.onRevoked();
    }

    /**
     * Called on the worker when the connection has ended.
     *
     * @param guard runs a step that may throw an exception
     */
    void onClosed(Consumer<Runnable> guard) {
        List<GrantedMemory> ending;
        synchronized (this) {
            closed = true;
            ending = List.copyOf(open);
        }
        ending.forEach(granted -> guard.accept(granted::onClosed));
    }
}
