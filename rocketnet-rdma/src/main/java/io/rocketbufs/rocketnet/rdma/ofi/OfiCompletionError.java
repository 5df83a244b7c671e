package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiCqErrEntry;

/** A {@code struct fi_cq_err_entry} with room for the longer structure of newer versions. */
public final class OfiCompletionError {
    private final NativeBlock block = new NativeBlock(128);

    long address() {
        return block.address();
    }

    void clear() {
        block.clear();
    }

    /** Returns the context with which the operation was posted. */
    public long context() {
        return block.getLong(FiCqErrEntry.OP_CONTEXT);
    }

    /** Returns the flags that describe the operation. */
    public long flags() {
        return block.getLong(FiCqErrEntry.FLAGS);
    }

    /** Returns the positive error number. */
    public int errno() {
        return block.getInt(FiCqErrEntry.ERR);
    }

    /** Returns the provider's own error number. */
    public int providerErrno() {
        return block.getInt(FiCqErrEntry.PROV_ERRNO);
    }
}
