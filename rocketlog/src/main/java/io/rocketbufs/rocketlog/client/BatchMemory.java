package io.rocketbufs.rocketlog.client;

import java.util.ArrayDeque;

/**
 * The memory of a producer: batches of equal capacity, which are reused, and longer ones for long records.
 *
 * <p><i>Thread-safety:</i> guarded by the producer.
 */
final class BatchMemory {
    private final int batchLength;
    private final ArrayDeque<ProducerBatch> free = new ArrayDeque<>();
    private long available;
    private int inUse;

    /** @param limit bytes of all batches that are in use at a time */
    BatchMemory(int batchLength, long limit) {
        this.batchLength = batchLength;
        this.available = limit;
    }

    /** Returns a batch with at least the given capacity, or null if there is no memory for it. */
    ProducerBatch take(int length) {
        int capacity = Math.max(length, batchLength);
        // A long record is accepted when nothing else is in use, even if it exceeds the limit.
        if (capacity > available && inUse > 0) {
            return null;
        }
        available -= capacity;
        inUse++;
        ProducerBatch batch = capacity == batchLength ? free.poll() : null;
        return batch == null ? new ProducerBatch(capacity) : batch;
    }

    /** Takes a batch back. */
    void release(ProducerBatch batch) {
        int capacity = batch.memory.capacity();
        available += capacity;
        inUse--;
        if (capacity == batchLength) {
            free.push(batch);
        }
    }
}
