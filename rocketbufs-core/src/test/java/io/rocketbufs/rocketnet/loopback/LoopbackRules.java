package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.WriteRequest;

/** The rules for a write, independent of the state of its connection. */
final class LoopbackRules {
    private LoopbackRules() {}

    /** Returns the rule that a request violates, or null. */
    static String mistakeIn(WriteRequest request, LoopbackConnection connection) {
        Capabilities capabilities = connection.capabilities();
        Vecs vecs = request.vecs();
        if (vecs.count() > capabilities.vecsPerWrite()) {
            return "a write of " + vecs.count() + " vecs exceeds vecsPerWrite=" + capabilities.vecsPerWrite();
        }
        if (vecs.totalLength() > capabilities.longestWrite()) {
            return "a write of length " + vecs.totalLength() + " exceeds longestWrite=" + capabilities.longestWrite();
        }
        for (int i = 0; i < vecs.count(); i++) {
            if (!within(request.region(), vecs.address(i), vecs.length(i))) {
                return "a vec is outside its region: address=" + vecs.address(i) + ", length=" + vecs.length(i);
            }
        }
        if (!(request.remote() instanceof LoopbackRemoteBuffer remote) || remote.connection() != connection) {
            return "a write to a remote buffer that this connection did not make: " + request.remote();
        }
        return capabilities.receiverPlaces() ? null : mistakeIn(request.remote(), request.remoteOffset(), vecs);
    }

    /** Returns the rule that the use of a remote buffer violates, or null. */
    static String mistakeIn(RemoteBuffer used, LoopbackConnection connection) {
        return used instanceof LoopbackRemoteBuffer remote && remote.connection() == connection
                ? null
                : "a read or an atomic operation on a remote buffer that this connection did not make: " + used;
    }

    private static boolean within(Region region, long address, long length) {
        return region != null && address >= region.address() && address + length <= region.address() + region.length();
    }

    private static String mistakeIn(RemoteBuffer remote, long offset, Vecs vecs) {
        boolean inside = offset >= 0 && offset + vecs.totalLength() <= remote.capacity();
        return inside
                ? null
                : "a write across the end of the remote buffer: remoteOffset=" + offset + ", length="
                        + vecs.totalLength() + ", capacity=" + remote.capacity();
    }
}
