package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.rdma.ofi.OfiRma;

/**
 * A buffer of the peer and the native work structure for writing to it. The structure is created once and modified in
 * place.
 */
final class RdmaRemoteBuffer extends RemoteBuffer {
    private final OfiRma work;

    RdmaRemoteBuffer(RemoteAccess access, long capacity, int maxVecs) {
        super(access, capacity);
        work = new OfiRma(maxVecs);
        work.remoteKey(access.key());
    }

    OfiRma work() {
        return work;
    }
}
