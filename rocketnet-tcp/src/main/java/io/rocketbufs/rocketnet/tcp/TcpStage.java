package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import java.nio.ByteBuffer;

/**
 * Memory into which a worker reads many small frames with one system call. The frames are then copied to their buffers.
 *
 * <p><b>Thread-safety:</b> belongs to its worker; the contents are valid until the worker reads from another
 * connection. <b>Ownership:</b> owns its memory.
 */
final class TcpStage {
    private final Region region;
    private final ByteBuffer window;
    private final ByteBuffer view;
    private final long address;

    TcpStage(MemoryPool memory, int length) {
        region = memory.allocate(length);
        window = region.window(0, length);
        view = window.duplicate();
        address = region.address();
    }

    /** Returns the whole memory, big-endian. */
    ByteBuffer window() {
        return window;
    }

    /** Returns the length of the memory in bytes. */
    int length() {
        return window.capacity();
    }

    /** Returns the address of the memory's first byte. */
    long address() {
        return address;
    }

    /** Returns a view whose position and limit enclose part of the memory. The view is valid until the next call. */
    ByteBuffer part(int offset, int length) {
        return view.limit(offset + length).position(offset);
    }

    /** Releases the memory. Must be called after the last read. */
    void release() {
        region.release();
    }
}
