package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiCqDataEntry;

/**
 * An array of {@code struct fi_cq_data_entry} to read completions into.
 *
 * <p><b>Thread-safety:</b> none.
 */
public final class OfiCompletions {
    private final NativeBlock block;
    private final int size;

    /** Makes room for this many completions. */
    public OfiCompletions(int size) {
        this.size = size;
        block = new NativeBlock(size * FiCqDataEntry.SIZE);
    }

    /** Where it is. */
    public long address() {
        return block.address();
    }

    /** How many fit. */
    public int size() {
        return size;
    }

    /** What the operation was posted with; 0 for a write of the peer where the provider does not tell. */
    public long context(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.OP_CONTEXT);
    }

    /** What kind of operation it was. */
    public long flags(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.FLAGS);
    }

    /** Bytes that arrived; not told by every provider. */
    public long length(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.LEN);
    }

    /** The immediate data. */
    public long data(int index) {
        return block.getLong(index * FiCqDataEntry.SIZE + FiCqDataEntry.DATA);
    }
}
