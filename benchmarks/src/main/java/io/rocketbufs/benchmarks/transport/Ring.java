package io.rocketbufs.benchmarks.transport;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import java.nio.ByteBuffer;

/**
 * The circular buffer of one side: what is sent lies in it, or what arrives. Holds whole messages, so none lies across
 * its end.
 *
 * <p><b>Thread-safety:</b> none. <b>Ownership:</b> of its region, until {@link #release}.
 */
final class Ring {
    private final Region region;
    private final ByteBuffer window;
    private final int size;
    private final int capacity;

    Ring(MemoryPool memory, BenchRun run) {
        region = memory.allocate(run.capacity());
        window = region.window(0, run.capacity());
        size = run.size();
        capacity = run.capacity();
    }

    Region region() {
        return region;
    }

    int size() {
        return size;
    }

    int capacity() {
        return capacity;
    }

    /** The offset after so many bytes, which end with a message at the latest. */
    int next(int offset, int length) {
        int next = offset + length;
        return next == capacity ? 0 : next;
    }

    /** Names memory within a message. */
    void addTo(Vecs vecs, int offset, int length) {
        vecs.add(window, offset, length, region.address() + offset);
    }

    /** Writes what stands at each offset. */
    void fill() {
        for (int i = 0; i < capacity; i++) {
            window.put(i, pattern(i));
        }
    }

    /** Compares the first so many messages with what {@link #fill} wrote at the other side. */
    void check(long messages) {
        int length = (int) Math.min(capacity, messages * size);
        for (int i = 0; i < length; i++) {
            if (window.get(i) != pattern(i)) {
                throw new IllegalStateException("wrong byte: offset=" + i);
            }
        }
    }

    private static byte pattern(int offset) {
        return (byte) ((offset * 2654435761L) >>> 13);
    }

    void release() {
        region.release();
    }
}
