package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiEqCmEntry;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiEqErrEntry;

/**
 * Memory for one event of an event queue: a {@code struct fi_eq_cm_entry} with its private data, or a {@code struct
 * fi_eq_err_entry}.
 */
public final class OfiEvent {
    private static final int LENGTH = 512;

    private final NativeBlock type = new NativeBlock(Integer.BYTES);
    private final NativeBlock entry = new NativeBlock(LENGTH);

    void clear() {
        type.clear();
        entry.clear();
    }

    long typeAddress() {
        return type.address();
    }

    long entryAddress() {
        return entry.address();
    }

    int entryLength() {
        return LENGTH;
    }

    /** Returns FI_CONNREQ, FI_CONNECTED or FI_SHUTDOWN. */
    public int type() {
        return type.getInt(0);
    }

    /** Returns the object to which the event belongs. */
    public long fid() {
        return entry.getLong(FiEqCmEntry.FID);
    }

    /** Returns the description of a connection request. The caller must free it. */
    public OfiInfo info() {
        return new OfiInfo(entry.getLong(FiEqCmEntry.INFO));
    }

    /** Returns the peer's private data from an event of the given length in bytes. */
    public byte[] data(int eventLength) {
        byte[] data = new byte[Math.max(0, eventLength - FiEqCmEntry.DATA)];
        entry.bytes().get(FiEqCmEntry.DATA, data);
        return data;
    }

    /** Returns the positive error number. */
    public int errno() {
        return entry.getInt(FiEqErrEntry.ERR);
    }

    /** Returns the provider's own error number. */
    public int providerErrno() {
        return entry.getInt(FiEqErrEntry.PROV_ERRNO);
    }

    /** Returns the object to which the error belongs. */
    public long errorFid() {
        return entry.getLong(FiEqErrEntry.FID);
    }
}
