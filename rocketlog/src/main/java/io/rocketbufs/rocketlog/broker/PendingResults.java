package io.rocketbufs.rocketlog.broker;

import java.util.Arrays;

/**
 * The unreported results of a producer's batches, in the order of the batches. A result is ready when the records that
 * it acknowledges are as durable as the policy requires, and all earlier results are ready.
 *
 * <p><i>Thread-safety:</i> one thread. Allocates memory only if results are added when {@link #hasRoom} is false, which
 * can happen for batches that are already in the log.
 */
final class PendingResults {
    private final int window;
    /** Number of pending results of each partition. */
    private final int[] counts;

    private long[] results;
    /** The partition number of each result. */
    private int[] numbers;
    /**
     * For each result, the partition whose durable offset must reach {@link #needed}; null if the result need not wait.
     */
    private LogPartition[] partitions;

    private long[] needed;
    private int mask;
    private long first;
    private long ready;
    private long end;

    /**
     * Creates an empty queue.
     *
     * @param window number of results for which the queue has room; a power of two
     * @param partitionCount number of partitions
     */
    PendingResults(int window, int partitionCount) {
        this.window = window;
        counts = new int[partitionCount];
        results = new long[window];
        numbers = new int[window];
        partitions = new LogPartition[window];
        needed = new long[window];
        mask = window - 1;
    }

    boolean isEmpty() {
        return first == end;
    }

    boolean hasRoom() {
        return end - first < window;
    }

    /** Returns the number of pending results. */
    int count() {
        return (int) (end - first);
    }

    /** Returns the number of pending results that exceed the window. */
    int excess() {
        return Math.max(0, count() - window);
    }

    /** Returns the number of pending results of a partition. */
    int count(int number) {
        return counts[number];
    }

    private boolean isPartition(int number) {
        return number >= 0 && number < counts.length;
    }

    /** Adds a result that need not wait for the disk. */
    void add(int number, long result) {
        add(number, result, null, 0);
    }

    /**
     * Adds a result that waits until a partition's durable offset has reached the given offset.
     *
     * @param number number of the partition; any number if the partition does not exist
     */
    void add(int number, long result, LogPartition partition, long neededOffset) {
        if (count() == results.length) {
            grow();
        }
        int index = (int) (end & mask);
        results[index] = result;
        numbers[index] = number;
        partitions[index] = partition;
        needed[index] = neededOffset;
        end++;
        if (isPartition(number)) {
            counts[number]++;
        }
    }

    private void grow() {
        int capacity = 2 * results.length;
        long[] moreResults = new long[capacity];
        int[] moreNumbers = new int[capacity];
        LogPartition[] morePartitions = new LogPartition[capacity];
        long[] moreNeeded = new long[capacity];
        for (long i = first; i < end; i++) {
            int from = (int) (i & mask);
            int to = (int) (i & capacity - 1);
            moreResults[to] = results[from];
            moreNumbers[to] = numbers[from];
            morePartitions[to] = partitions[from];
            moreNeeded[to] = needed[from];
        }
        results = moreResults;
        numbers = moreNumbers;
        partitions = morePartitions;
        needed = moreNeeded;
        mask = capacity - 1;
    }

    /**
     * Returns the number of results that are ready. If a log has failed, its waiting results also fail, and are then
     * ready.
     */
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
        // The failure is read first, so that records that were durable before it are acknowledged.
        boolean hasFailed = partition.failure() != null;
        if (partition.durableOffset() >= needed[index]) {
            partitions[index] = null;
            return true;
        }
        if (hasFailed) {
            partitions[index] = null;
            results[index] = partition.failedResult();
            return true;
        }
        return false;
    }

    /** Returns the number of the partition to which the oldest result belongs. */
    int number() {
        return numbers[(int) (first & mask)];
    }

    /** Removes and returns the oldest result, which must be ready. */
    long take() {
        int number = number();
        if (isPartition(number)) {
            counts[number]--;
        }
        return results[(int) (first++ & mask)];
    }

    /** Discards all results. */
    void clear() {
        Arrays.fill(partitions, null);
        Arrays.fill(counts, 0);
        first = end;
        ready = end;
    }
}
