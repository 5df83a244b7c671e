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
 * <p><b>Thread-safety:</b> none; the parts belong to different threads, the last one to the worker. <b>Ownership:</b>
 * of the region.
 */
final class RdmaScratch {
    /** Bytes of a message that is sent at once. */
    static final int SLOT_LENGTH = 1024;

    /** Messages that are too long to be injected and have not completed. */
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

    /** What work structures name this memory by. */
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

    /** Where the holder of the sending side puts what is injected. */
    int inject() {
        return sendSlot(SEND_SLOTS);
    }

    /** Where the worker puts what it injects by itself. */
    int answers() {
        return inject() + SLOT_LENGTH;
    }

    void close() {
        region.release();
    }
}
