package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.rdma.ofi.OfiAtomic;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A connection's private memory, registered for sending and receiving:
 *
 * <pre>
 *  +-----------------+-----+---------------+-----+--------+---------+---------------+-----+
 *  | receive slot 0  | ... | send slot 0   | ... | inject | answers | atomic cell 0 | ... |
 *  +-----------------+-----+---------------+-----+--------+---------+---------------+-----+
 * </pre>
 *
 * <p><b>Thread-safety:</b> not thread-safe. The receive slots and the answers belong to the worker, the other parts to
 * the thread that holds the connection's sending side. <b>Ownership:</b> owns the region.
 */
final class RdmaScratch {
    /** Length of a message slot in bytes. */
    static final int SLOT_LENGTH = 1024;

    /** Maximum number of outstanding messages that are too long to be injected. */
    static final int SEND_SLOTS = 16;

    private static final int CELL = 64;
    /** Distance in bytes between two cells for atomic operations: {@link OfiAtomic#CELL_LENGTH}, aligned. */
    private static final int ATOMIC_CELL = 32;

    private final Region region;
    private final ByteBuffer bytes;
    private final long descriptor;
    private final int receives;

    /** Allocates and registers the memory. {@code atomicCells} is the number of cells for atomic operations. */
    RdmaScratch(MemoryPool pool, RdmaMemory memory, int receives, int atomicCells) {
        this.receives = receives;
        int length = (receives + SEND_SLOTS + 1) * SLOT_LENGTH + CELL + atomicCells * ATOMIC_CELL;
        region = pool.allocate(length);
        try {
            descriptor = memory.descriptor(region.slab());
        } catch (RuntimeException e) {
            region.release();
            throw e;
        }
        bytes = region.window(0, length).order(ByteOrder.BIG_ENDIAN);
    }

    ByteBuffer bytes() {
        return bytes;
    }

    /** Returns the descriptor of this memory for use in work structures. */
    long descriptor() {
        return descriptor;
    }

    long address(int offset) {
        return region.address() + offset;
    }

    int receiveSlot(int index) {
        return index * SLOT_LENGTH;
    }

    int sendSlot(int index) {
        return (receives + index) * SLOT_LENGTH;
    }

    /** Returns the offset at which the thread that holds the sending side stores data to inject. */
    int inject() {
        return sendSlot(SEND_SLOTS);
    }

    /** Returns the offset at which the worker stores data to inject. */
    int answers() {
        return inject() + SLOT_LENGTH;
    }

    /** Returns the offset of the cell for an atomic operation. */
    int atomicCell(int index) {
        return answers() + CELL + index * ATOMIC_CELL;
    }

    /** Returns this whole memory as the memory that contains the cells for atomic operations. */
    OfiAtomic.Cells cells() {
        return new OfiAtomic.Cells(bytes, region.address(), descriptor);
    }

    void close() {
        region.release();
    }
}
