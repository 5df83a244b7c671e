package io.rocketbufs.rocketnet.tcp;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import java.nio.ByteBuffer;

/**
 * Memory that a worker reads into where the frames are small, many with one system call, to copy them from there.
 *
 * <p><b>Thread-safety:</b> its worker's; the contents are valid until another connection is read. <b>Ownership:</b> of
 * its memory.
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

    /** All of the memory, big-endian. */
    ByteBuffer window() {
        return window;
    }

    /** Its bytes. */
    int length() {
        return window.capacity();
    }

    /** Address of its first byte. */
    long address() {
        return address;
    }

    /** A part of the memory from its position to its limit, valid until the next call. */
    ByteBuffer part(int offset, int length) {
        return view.limit(offset + length).position(offset);
    }

    /** Nothing is read any more. */
    void release() {
        region.release();
    }
}
