package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.Segment;
import java.nio.ByteBuffer;

/**
 * The broker's private copy of a producer's batch. With some transports, the peer can still write to its buffer at the
 * broker after a batch has arrived. The broker therefore copies the batch before checking it, and appends only the
 * copy.
 *
 * <p><i>Thread-safety:</i> one thread. Allocates memory only for a batch that is longer than all earlier batches.
 */
final class BatchCopy {
    private static final int SHORTEST = 4096;

    private ByteBuffer memory = ByteBuffer.allocateDirect(SHORTEST);

    /**
     * Copies bytes of a segment. Returns a buffer with the copy between its position and limit, valid until the next
     * call.
     */
    ByteBuffer of(Segment segment, long index, int length) {
        if (length > memory.capacity()) {
            memory = ByteBuffer.allocateDirect(Integer.highestOneBit(length - 1) << 1);
        }
        memory.clear();
        int copied = 0;
        long skipped = index;
        for (int i = 0; i < segment.vecCount() && copied < length; i++) {
            ByteBuffer vec = segment.vec(i);
            int available = (int) Math.max(0, vec.remaining() - skipped);
            int part = Math.min(available, length - copied);
            if (part > 0) {
                memory.put(copied, vec, vec.position() + (int) skipped, part);
                copied += part;
            }
            skipped = Math.max(0, skipped - vec.remaining());
        }
        return memory.limit(length).position(0);
    }
}
