package io.rocketbufs.rocketnet.rdma;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A connection's own memory, registered for sending and receiving:
 *
 * <pre>
 *  +-----------------+-----+---------------+-----+--------+---------+
 *  | receive slot 0  | ... | send slot 0   | ... | inject | answers |
 *  +-----------------+-----+---------------+-----+--------+---------+
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

    private final Region region;
    private final ByteBuffer bytes;
    private final long descriptor;
    private final int receives;

    RdmaScratch(MemoryPool pool, RdmaMemory memory, int receives) {
        this.receives = receives;
        int length = (receives + SEND_SLOTS + 1) * SLOT_LENGTH + CELL;
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

    /** Returns the offset where the thread that holds the sending side stores the data that it injects. */
    int inject() {
        return sendSlot(SEND_SLOTS);
    }

    /** Returns the offset where the worker stores the data that it injects. */
    int answers() {
        return inject() + SLOT_LENGTH;
    }

    void close() {
        region.release();
    }
}
