package io.rocketbufs.rocketlog.client;

import io.rocketbufs.memory.Region;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A batch of unacknowledged records, with its memory. The batch keeps the records until the result arrives, so that it
 * can be resent unchanged.
 *
 * <p><i>Thread-safety:</i> guarded by the producer's lock.
 */
final class ProducerBatch {
    final ByteBuffer memory;
    /** The region of the memory if the producer can write directly into a log; otherwise null. */
    final Region region;
    /** True if the batch has been sent, so that the log may contain it. */
    boolean wasSent;
    /** True if the batch was last sent directly into the log, false if through the private buffer. */
    boolean isDirect;
    /** The batch after this one in the partition's queue, or in the list of completed batches. */
    ProducerBatch next;

    int partition;
    long firstNumber;
    long beganNs;
    int count;
    int length;
    /** Offset of the first record; set when the batch is acknowledged. */
    long firstOffset;

    /** Why the records failed; null if they have not failed. */
    LogClientException failure;

    private final List<Promise> promises = new ArrayList<>();

    private record Promise(int index, CompletableFuture<Long> offset) {}

    ProducerBatch(int capacity) {
        memory = ByteBuffer.allocate(capacity);
        region = null;
    }

    /** @param region memory with at least the given capacity */
    ProducerBatch(Region region, int capacity) {
        this.memory = region.window(0, capacity);
        this.region = region;
    }

    /** Adds a future that is completed with the offset of the newest record. */
    void promise(CompletableFuture<Long> offset) {
        promises.add(new Promise(count - 1, offset));
    }

    /** Completes the futures of all records, with their offsets or the failure. */
    void keepPromises() {
        for (Promise each : promises) {
            if (failure == null) {
                each.offset.complete(firstOffset < 0 ? firstOffset : firstOffset + each.index);
            } else {
                each.offset.completeExceptionally(failure);
            }
        }
        promises.clear();
    }
}
