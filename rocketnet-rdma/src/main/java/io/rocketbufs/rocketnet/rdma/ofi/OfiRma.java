package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiMsgRma;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiRmaIov;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.Iovec;

/**
 * A prepared {@code struct fi_msg_rma} with its lists: a write or a read, which can be modified in place and posted
 * repeatedly.
 *
 * <p><b>Thread-safety:</b> not thread-safe. libfabric reads the structure only during the call.
 */
public final class OfiRma {
    private static final int REMOTE = FiMsgRma.SIZE;
    private static final int LOCAL = REMOTE + FiRmaIov.SIZE;

    private final NativeBlock block;
    private final int desc;

    /** Creates an operation with up to {@code maxVecs} local ranges. */
    public OfiRma(int maxVecs) {
        desc = LOCAL + maxVecs * Iovec.SIZE;
        block = new NativeBlock(desc + maxVecs * Long.BYTES);
        block.putLong(FiMsgRma.MSG_IOV, block.address() + LOCAL)
                .putLong(FiMsgRma.DESC, block.address() + desc)
                .putLong(FiMsgRma.RMA_IOV, block.address() + REMOTE)
                .putLong(FiMsgRma.RMA_IOV_COUNT, 1);
    }

    /** Returns the address of the structure. */
    public long address() {
        return block.address();
    }

    /** Sets a local range. */
    public void local(int index, long address, long length, long descriptor) {
        int iov = LOCAL + index * Iovec.SIZE;
        block.putLong(iov + Iovec.IOV_BASE, address)
                .putLong(iov + Iovec.IOV_LEN, length)
                .putLong(desc + index * Long.BYTES, descriptor);
    }

    /** Sets the number of local ranges. */
    public void localCount(int count) {
        block.putLong(FiMsgRma.IOV_COUNT, count);
    }

    /** Sets the remote key. */
    public void remoteKey(long key) {
        block.putLong(REMOTE + FiRmaIov.KEY, key);
    }

    /** Sets the remote range. */
    public void remote(long address, long length) {
        block.putLong(REMOTE + FiRmaIov.ADDR, address).putLong(REMOTE + FiRmaIov.LEN, length);
    }

    /** Sets the context of the completion and the immediate data. */
    public void contextAndData(long context, long data) {
        block.putLong(FiMsgRma.CONTEXT, context).putLong(FiMsgRma.DATA, data);
    }
}
