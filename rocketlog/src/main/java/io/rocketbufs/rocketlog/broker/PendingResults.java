package io.rocketbufs.rocketlog.broker;

import io.rocketbufs.rocketlog.protocol.AppendResult;
import java.util.Arrays;

/**
 * The results of a producer's batches that have not been reported yet, in the order of the batches. A result is ready
 * when the records that it acknowledges are as durable as the policy requires, and all earlier ones are ready.
 *
 * <p><i>Thread-safety:</i> one thread. After construction, nothing is allocated.
 */
final class PendingResults {
    private final long[] results;
    /** The partition whose durable offset must reach {@link #needed}; null if the result need not wait. */
    private final LogPartition[] partitions;

    private final long[] needed;
    private final int mask;
    private long first;
    private long ready;
    private long end;

    /** @param capacity a power of two */
    PendingResults(int capacity) {
        results = new long[capacity];
        partitions = new LogPartition[capacity];
        needed = new long[capacity];
        mask = capacity - 1;
    }

    boolean isEmpty() {
        return first == end;
    }

    boolean hasRoom() {
        return end - first < results.length;
    }

    /** Adds a result that need not wait. */
    void add(long result) {
        add(result, null, 0);
    }

    /** Adds a result that waits until a partition's durable offset has reached the needed one. */
    void add(long result, LogPartition partition, long neededOffset) {
        int index = (int) (end & mask);
        results[index] = result;
        partitions[index] = partition;
        needed[index] = neededOffset;
        end++;
    }

    /** Returns the number of results that are ready to be taken. If a log has failed, its waiting results fail, too. */
    int readyCount() {
        while (ready < end && isReady((int) (ready & mask))) {
            ready++;
        }
        return (int) (ready - first);
    }

    private boolean isReady(int index) {
        LogPartition partition = partitions[index];
        if (partition == null) {
            return true;
        }
        // The failure is read first: what was durable before a failure is acknowledged.
        boolean hasFailed = partition.failure() != null;
        if (partition.durableOffset() >= needed[index]) {
            partitions[index] = null;
            return true;
        }
        if (hasFailed) {
            partitions[index] = null;
            results[index] = AppendResult.FAILED;
            return true;
        }
        return false;
    }

    /** Takes the oldest result, which must be ready. */
    long take() {
        return results[(int) (first++ & mask)];
    }

    /** Discards all results. */
    void clear() {
        Arrays.fill(partitions, null);
        first = end;
        ready = end;
    }
}
