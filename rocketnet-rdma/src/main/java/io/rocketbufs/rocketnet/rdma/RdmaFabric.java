package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiFunction;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;

/**
 * A fabric, which may comprise several NICs. Endpoints that are used together must be created on the same fabric.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
record RdmaFabric(String name, long fid, OfiFunction trywait) {
    static RdmaFabric open(Ofi ofi, OfiInfo info) {
        long fid = ofi.fabric(info);
        return new RdmaFabric(info.fabricName(), fid, ofi.trywait(fid));
    }
}
