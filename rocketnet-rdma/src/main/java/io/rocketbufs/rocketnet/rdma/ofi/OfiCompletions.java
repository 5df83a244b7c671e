package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiCqDataEntry;

/**
 * An array of {@code struct fi_cq_data_entry} into which completions are read.
 *
 * <p><b>Thread-safety:</b> not thread-safe.
 */
public final class OfiCompletions {
    private final NativeBlock block;
    private final int size;

    /** Allocates an array of {@code size} completions. */
    public OfiCompletions(int size) {
        this.size = size;
        block = new NativeBlock(size * FiCqDataEntry.SIZE);
    }

    /** Returns the address of the array. */
    public long address() {
        return block.address();
    }

    /** Returns the number of completions for which the array has room. */
    public int size() {
        return size;
    }

    /**
     * Returns the context with which the operation was posted. The context is 0 for a write by the peer if the provider
     * does not report which receive the write used up.
     */
    public long context(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.OP_CONTEXT);
    }

    /** Returns the flags that describe the operation. */
    public long flags(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.FLAGS);
    }

    /** Returns the number of bytes that arrived. Not every provider reports it. */
    public long length(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.LEN);
    }

    /** Returns the immediate data. */
    public long data(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.DATA);
    }
}
