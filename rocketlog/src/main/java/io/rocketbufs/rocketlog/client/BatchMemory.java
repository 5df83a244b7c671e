package io.rocketbufs.rocketlog.client;

import io.rocketbufs.memory.MemoryPool;
import java.util.ArrayDeque;

/**
 * A producer's memory, which consists of reusable batches of equal capacity and of longer batches for long records.
 *
 * <p><i>Thread-safety:</i> guarded by the producer's lock.
 */
final class BatchMemory {
    private static final long SLAB = 4L << 20;

    private final int batchLength;
    /** The pool; null if the batches are on the heap. */
    private final MemoryPool pool;

    private final ArrayDeque<ProducerBatch> free = new ArrayDeque<>();
    private long available;
    private int inUse;

    /**
     * Creates the memory, which initially contains no batches.
     *
     * @param limit maximum total capacity of all batches in use, in bytes
     * @param isTransferable true if transports must be able to send directly from the batches; {@link #close} is then
     *     required
     */
    BatchMemory(int batchLength, long limit, boolean isTransferable) {
        this.batchLength = batchLength;
        this.available = limit;
        this.pool = isTransferable ? new MemoryPool(Math.max(batchLength, SLAB)) : null;
    }

    /** Returns a batch with at least the given capacity, or null if the limit does not allow it. */
    ProducerBatch take(int length) {
        int capacity = Math.max(length, batchLength);
        // A long record is accepted when no other batch is in use, even if it exceeds the limit.
        if (capacity > available && inUse > 0) {
            return null;
        }
        available -= capacity;
        inUse++;
        ProducerBatch batch = capacity == batchLength ? free.poll() : null;
        return batch == null ? create(capacity) : batch;
    }

    private ProducerBatch create(int capacity) {
        return pool == null ? new ProducerBatch(capacity) : new ProducerBatch(pool.allocate(capacity), capacity);
    }

    /** Returns a batch to this memory. */
    void release(ProducerBatch batch) {
        int capacity = batch.memory.capacity();
        available += capacity;
        inUse--;
        if (capacity == batchLength) {
            free.push(batch);
        } else if (batch.region != null) {
            batch.region.release();
        }
    }

    /** Frees the memory. Must not be called while a transport is still sending from it. */
    void close() {
        if (pool != null) {
            pool.close();
        }
    }
}
