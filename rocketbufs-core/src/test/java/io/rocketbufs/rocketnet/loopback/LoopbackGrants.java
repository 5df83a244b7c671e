package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteAccess;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory that a connection's peer may write to. Every piece of a write is checked.
 *
 * <p><b>Thread-safety:</b> any thread; a revoked region is not written to once {@link #revoke} has returned. Locks are
 * taken in the order pipe, grants.
 */
final class LoopbackGrants {
    private final Map<Long, Grant> grants = new HashMap<>();

    synchronized RemoteAccess grant(Region region, long offset, long length, long key) {
        if (offset < 0 || length < 1 || length > Integer.MAX_VALUE || offset > region.length() - length) {
            throw new IllegalArgumentException("the part is not inside the region: offset=" + offset + ", length="
                    + length + ", region length=" + region.length());
        }
        if (!region.writable()) {
            throw new IllegalArgumentException("no peer can write to a region that can only be read");
        }
        grants.put(key, new Grant(region.address() + offset, region.window(offset, (int) length)));
        return new RemoteAccess(region.address() + offset, key);
    }

    /** Revokes an access; returns false if it was not granted. */
    synchronized boolean revoke(RemoteAccess access) {
        return grants.remove(access.key()) != null;
    }

    /** Stores the next bytes of a write; returns the reason if they are refused, or null if not. */
    synchronized String land(LoopbackFrame frame, int count) {
        RemoteAccess access = frame.remote().access();
        Grant grant = grants.get(access.key());
        if (grant == null) {
            return "no memory is granted under key " + access.key();
        }
        long last = (long) grant.memory.capacity() - frame.length();
        if (access.address() != grant.address || frame.remoteOffset() < 0 || frame.remoteOffset() > last) {
            return "the write is outside the memory granted under key " + access.key() + ": address=" + access.address()
                    + ", offset="
                    + frame.remoteOffset() + ", length=" + frame.length() + ", granted " + grant.memory.capacity()
                    + " at " + grant.address;
        }
        frame.gather(count, grant.memory, (int) frame.remoteOffset() + frame.landed());
        return null;
    }

    private record Grant(long address, ByteBuffer memory) {}
}
