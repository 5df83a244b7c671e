package io.rocketbufs.rocketnet.rdma.ofi;

import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiIoc;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiMsgAtomic;
import io.rocketbufs.rocketnet.rdma.ofi.OfiLayout.FiRmaIoc;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The atomic operations of an endpoint on 8-byte words of the peer. Each call modifies a prepared {@code struct
 * fi_msg_atomic} and its lists in place.
 *
 * <p>Each operation uses a cell of registered memory, which must stay unchanged until the operation completes:
 *
 * <pre>
 *   0          8           16         24
 *  +----------+-----------+----------+
 *  |  before  |  operand  | expected |
 *  +----------+-----------+----------+
 * </pre>
 *
 * <p>In versions before 2.2.0, the verbs provider has two defects. It takes the operand from the field for the peer's
 * address, and it mistakes the pointer to the expected number for the number itself. A connected endpoint does not use
 * the address field, so the operand is written to both places.
 *
 * <p><b>Thread-safety:</b> not thread-safe. libfabric reads the structure only during the call. A call allocates
 * nothing.
 */
public final class OfiAtomic {
    /** Length of a cell in bytes. */
    public static final int CELL_LENGTH = 24;

    private static final int OPERAND = 8;
    private static final int EXPECTED = 16;

    private static final int REMOTE = FiMsgAtomic.SIZE;
    private static final int OPERAND_IOC = REMOTE + FiRmaIoc.SIZE;
    private static final int RESULT_IOC = OPERAND_IOC + FiIoc.SIZE;
    private static final int EXPECTED_IOC = RESULT_IOC + FiIoc.SIZE;
    private static final int DESC = EXPECTED_IOC + FiIoc.SIZE;

    private final long ep;
    private final long readWriteMsg;
    private final Native.FixedCall compareWriteMsg;
    private final boolean compareByValue;
    private final ByteBuffer cells;
    private final long cellsAddress;
    private final NativeBlock block = new NativeBlock(DESC + Long.BYTES);

    OfiAtomic(long ep, long readWriteMsg, long compareWriteMsg, Cells cells, boolean compareByValue) {
        this.ep = ep;
        this.readWriteMsg = readWriteMsg;
        this.compareByValue = compareByValue;
        this.cells = cells.bytes().duplicate().order(ByteOrder.nativeOrder());
        cellsAddress = cells.address();
        long at = block.address();
        block.putLong(FiMsgAtomic.MSG_IOV, at + OPERAND_IOC)
                .putLong(FiMsgAtomic.DESC, at + DESC)
                .putLong(FiMsgAtomic.IOV_COUNT, 1)
                .putLong(FiMsgAtomic.RMA_IOV, at + REMOTE)
                .putLong(FiMsgAtomic.RMA_IOV_COUNT, 1)
                .putInt(FiMsgAtomic.DATATYPE, OfiConstants.FI_UINT64)
                .putLong(REMOTE + FiRmaIoc.COUNT, 1)
                .putLong(OPERAND_IOC + FiIoc.COUNT, 1)
                .putLong(RESULT_IOC + FiIoc.COUNT, 1)
                .putLong(EXPECTED_IOC + FiIoc.COUNT, 1)
                .putLong(DESC, cells.descriptor());
        this.compareWriteMsg = new Native.FixedCall(
                compareWriteMsg,
                ep,
                at,
                at + EXPECTED_IOC,
                at + DESC,
                1,
                at + RESULT_IOC,
                at + DESC,
                1,
                OfiConstants.FI_COMPLETION);
    }

    /**
     * The registered memory that contains the cells.
     *
     * @param bytes the memory
     * @param address the address of the memory
     * @param descriptor the descriptor of the memory's registration
     */
    public record Cells(ByteBuffer bytes, long address, long descriptor) {}

    /** Sets the peer's word for the next operation. */
    public OfiAtomic remote(long address, long key) {
        block.putLong(REMOTE + FiRmaIoc.ADDR, address).putLong(REMOTE + FiRmaIoc.KEY, key);
        return this;
    }

    /**
     * Posts a fetch-and-add operation. Returns 0 or a negative error number.
     *
     * @param cell offset of the cell
     * @param context returned by the completion
     */
    public int fetchAdd(int cell, long addend, long context) {
        prepare(cell, addend, context, OfiConstants.FI_SUM);
        long at = block.address();
        return (int) Native.call(readWriteMsg, ep, at, at + RESULT_IOC, at + DESC, 1, OfiConstants.FI_COMPLETION);
    }

    /**
     * Posts a compare-and-swap operation. Returns 0 or a negative error number.
     *
     * @param cell offset of the cell
     * @param context returned by the completion
     */
    public int compareSwap(int cell, long expected, long desired, long context) {
        prepare(cell, desired, context, OfiConstants.FI_CSWAP);
        cells.putLong(cell + EXPECTED, expected);
        block.putLong(EXPECTED_IOC + FiIoc.ADDR, compareByValue ? expected : cellsAddress + cell + EXPECTED);
        return (int) compareWriteMsg.call();
    }

    /**
     * Returns the value that the word had before a cell's completed operation. Any thread that has been notified of the
     * completion may call this method.
     */
    public long before(int cell) {
        return cells.getLong(cell);
    }

    private void prepare(int cell, long operand, long context, int operation) {
        cells.putLong(cell + OPERAND, operand);
        block.putLong(FiMsgAtomic.ADDR, operand)
                .putInt(FiMsgAtomic.OP, operation)
                .putLong(FiMsgAtomic.CONTEXT, context)
                .putLong(OPERAND_IOC + FiIoc.ADDR, cellsAddress + cell + OPERAND)
                .putLong(RESULT_IOC + FiIoc.ADDR, cellsAddress + cell);
    }
}
