package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The memory on which a connection's peer has rights. Every piece of an operation is checked.
 *
 * <p><b>Thread-safety:</b> any thread. A revoked region is not accessed once {@link #revoke} has returned. Locks are
 * acquired in the order pipe, grants.
 */
final class LoopbackGrants {
    private final Map<Long, Grant> grants = new HashMap<>();

    synchronized RemoteAccess grant(Region region, long offset, long length, Set<Right> rights, long key) {
        if (offset < 0 || length < 1 || length > Integer.MAX_VALUE || offset > region.length() - length) {
            throw new IllegalArgumentException("the part is not inside the region: offset=" + offset + ", length="
                    + length + ", region length=" + region.length());
        }
        if (rights.isEmpty() || rights.contains(Right.ATOMIC) && offset % Long.BYTES != 0) {
            throw new IllegalArgumentException("cannot grant rights=" + rights + " at offset=" + offset);
        }
        if (!region.writable() && !rights.equals(Set.of(Right.READ))) {
            throw new IllegalArgumentException("no peer can write to a read-only region");
        }
        grants.put(key, new Grant(region.address() + offset, region.window(offset, (int) length), Set.copyOf(rights)));
        return new RemoteAccess(region.address() + offset, key);
    }

    /** Revokes access; returns false if the access was not granted. */
    synchronized boolean revoke(RemoteAccess access) {
        return grants.remove(access.key()) != null;
    }

    /** Stores the next bytes of a write. Returns the reason if they are refused; otherwise null. */
    synchronized String land(LoopbackFrame frame, int count) {
        RemoteAccess access = frame.remote().access();
        String refusal = refusal(access, frame.remoteOffset(), frame.length(), Right.WRITE);
        if (refusal == null) {
            frame.gather(count, memory(access), (int) frame.remoteOffset() + frame.landed());
        }
        return refusal;
    }

    /**
     * Reads the next bytes, or executes an atomic operation when its last byte arrives. Returns the reason if this is
     * refused; otherwise null.
     */
    synchronized String fetch(LoopbackFrame frame, int count) {
        LoopbackFetch fetch = frame.fetch();
        RemoteAccess access = fetch.remote().access();
        int offset = (int) fetch.remoteOffset();
        String refusal =
                refusal(access, fetch.remoteOffset(), frame.length(), fetch.isRead() ? Right.READ : Right.ATOMIC);
        if (refusal != null) {
            return refusal;
        }
        if (fetch.isRead()) {
            fetch.copy(memory(access), offset + frame.landed(), frame.landed(), count);
        } else if (frame.landed() + count == frame.length()) {
            fetch.operate(memory(access), offset);
        }
        return null;
    }

    private ByteBuffer memory(RemoteAccess access) {
        return grants.get(access.key()).memory;
    }

    private String refusal(RemoteAccess access, long offset, int length, Right right) {
        Grant grant = grants.get(access.key());
        if (grant == null) {
            return "no memory is granted under key " + access.key();
        }
        if (!grant.rights.contains(right)) {
            return "the right " + right + " is not granted under key " + access.key() + ": rights=" + grant.rights;
        }
        long last = (long) grant.memory.capacity() - length;
        if (access.address() != grant.address || offset < 0 || offset > last) {
            return "the operation is outside the memory granted under key " + access.key() + ": address="
                    + access.address() + ", offset=" + offset + ", length=" + length + ", granted "
                    + grant.memory.capacity() + " at " + grant.address;
        }
        return null;
    }

    private record Grant(long address, ByteBuffer memory, Set<Right> rights) {}
}
