package io.rocketbufs.rocketlog.client;

import io.rocketbufs.memory.Region;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A batch of unacknowledged records, and its memory. It keeps the records until the result arrives, so that it can be
 * resent unchanged.
 *
 * <p><i>Thread-safety:</i> guarded by the producer.
 */
final class ProducerBatch {
    final ByteBuffer memory;
    /** The same memory, if the producer can write directly into a log; otherwise null. */
    final Region region;
    /** True once the batch has been sent, so that the log may contain it. */
    boolean wasSent;
    /** The batch after this one in the queue of its partition, or in a list of completed ones. */
    ProducerBatch next;

    int partition;
    long firstNumber;
    long beganNs;
    int count;
    int length;
    /** Offset of the first record, once it is known. */
    long firstOffset;

    /** Why the records failed; null if they did not. */
    LogClientException failure;

    private final List<Promise> promises = new ArrayList<>();

    private record Promise(int index, CompletableFuture<Long> offset) {}

    ProducerBatch(int capacity) {
        memory = ByteBuffer.allocate(capacity);
        region = null;
    }

    /** @param region has at least the given capacity */
    ProducerBatch(Region region, int capacity) {
        this.memory = region.window(0, capacity);
        this.region = region;
    }

    /** Adds a future for the newest record. */
    void promise(CompletableFuture<Long> offset) {
        promises.add(new Promise(count - 1, offset));
    }

    /** Completes the futures of all records. */
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
