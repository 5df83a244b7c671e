package io.rocketbufs.rocketnet.loopback;

import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;

/** A peer's buffer, with a reference to the connection that created it. */
final class LoopbackRemoteBuffer extends RemoteBuffer {
    private final LoopbackConnection connection;

    LoopbackRemoteBuffer(LoopbackConnection connection, RemoteAccess access, long capacity) {
        super(access, capacity);
        this.connection = connection;
    }

    LoopbackConnection connection() {
        return connection;
    }
}
