package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiMsg;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.Iovec;

/**
 * A prepared {@code struct fi_msg} with one range to send from or receive into.
 *
 * <p><b>Thread-safety:</b> not thread-safe. libfabric reads the structure only during the call.
 */
public final class OfiMessage {
    private static final int LOCAL = FiMsg.SIZE;
    private static final int DESC = LOCAL + Iovec.SIZE;

    private final NativeBlock block = new NativeBlock(DESC + Long.BYTES);

    /** Creates an empty message. */
    public OfiMessage() {
        block.putLong(FiMsg.MSG_IOV, block.address() + LOCAL)
                .putLong(FiMsg.DESC, block.address() + DESC)
                .putLong(FiMsg.IOV_COUNT, 1);
    }

    /** Returns the address of the structure. */
    public long address() {
        return block.address();
    }

    /** Sets the range and the context of the completion. */
    public OfiMessage set(long address, long length, long descriptor, long context) {
        block.putLong(LOCAL + Iovec.IOV_BASE, address)
                .putLong(LOCAL + Iovec.IOV_LEN, length)
                .putLong(DESC, descriptor)
                .putLong(FiMsg.CONTEXT, context);
        return this;
    }
}
