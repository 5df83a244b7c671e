package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiCqErrEntry;

/** A {@code struct fi_cq_err_entry}, with room for newer and longer ones. */
public final class OfiCompletionError {
    private final NativeBlock block = new NativeBlock(128);

    long address() {
        return block.address();
    }

    void clear() {
        block.clear();
    }

    /** What the operation was posted with. */
    public long context() {
        return block.getLong(FiCqErrEntry.OP_CONTEXT);
    }

    /** What kind of operation it was. */
    public long flags() {
        return block.getLong(FiCqErrEntry.FLAGS);
    }

    /** The positive error number. */
    public int errno() {
        return block.getInt(FiCqErrEntry.ERR);
    }

    /** The provider's own number for it. */
    public int providerErrno() {
        return block.getInt(FiCqErrEntry.PROV_ERRNO);
    }
}
