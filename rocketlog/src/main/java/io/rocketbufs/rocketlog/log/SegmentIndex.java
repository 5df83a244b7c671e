package io.rocketbufs.rocketlog.log;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The in-memory index of one segment: the positions of batches, by offset and by time. It has one entry per index
 * interval, so a lookup ends with a short scan. The index of the head exists only in memory. The index of a sealed
 * segment is stored in two files in Kafka's format.
 *
 * <p><i>Thread-safety:</i> one thread adds entries; any thread looks up positions. Arrays are copied when they grow, at
 * most once per doubling of the segment's length; nothing else is allocated.
 */
final class SegmentIndex {
    private static final int FIRST_CAPACITY = 16;

    private final int interval;
    // Volatile: a lookup may see a grown array together with an older count.
    private volatile int[] offsets = new int[FIRST_CAPACITY];
    private volatile int[] positions = new int[FIRST_CAPACITY];
    private volatile long[] timestamps = new long[FIRST_CAPACITY];
    private volatile int[] timeOffsets = new int[FIRST_CAPACITY];
    /** Number of entries. Set after an entry has been written. */
    private volatile int count;

    private volatile int timeCount;

    private long bytesSinceEntry;
    private long largestTimestamp = -1;
    private int largestTimestampOffset;

    SegmentIndex(int interval) {
        this.interval = interval;
    }

    /**
     * Records a batch.
     *
     * @param lastOffset relative to the base offset
     */
    void add(int lastOffset, int position, int length, long timestamp) {
        if (timestamp > largestTimestamp) {
            largestTimestamp = timestamp;
            largestTimestampOffset = lastOffset;
        }
        if (bytesSinceEntry > interval) {
            addEntry(lastOffset, position);
            addTimeEntry();
            bytesSinceEntry = 0;
        }
        bytesSinceEntry += length;
    }

    private void addEntry(int lastOffset, int position) {
        int entry = count;
        if (entry == offsets.length) {
            offsets = Arrays.copyOf(offsets, entry * 2);
            positions = Arrays.copyOf(positions, entry * 2);
        }
        offsets[entry] = lastOffset;
        positions[entry] = position;
        count = entry + 1;
    }

    private void addTimeEntry() {
        int entry = timeCount;
        if (largestTimestamp < 0 || entry > 0 && timestamps[entry - 1] >= largestTimestamp) {
            return;
        }
        if (entry == timestamps.length) {
            timestamps = Arrays.copyOf(timestamps, entry * 2);
            timeOffsets = Arrays.copyOf(timeOffsets, entry * 2);
        }
        timestamps[entry] = largestTimestamp;
        timeOffsets[entry] = largestTimestampOffset;
        timeCount = entry + 1;
    }

    /** Returns the largest timestamp of the segment in milliseconds, or -1 if the segment is empty. */
    long largestTimestamp() {
        return largestTimestamp;
    }

    /**
     * Returns a position at or before the batch that contains the given offset, which is relative to the base offset.
     */
    int positionOf(long offset) {
        int found = count;
        int[] keys = offsets;
        int low = 0;
        while (low < found) {
            int middle = (low + found) >>> 1;
            if (keys[middle] <= offset) {
                low = middle + 1;
            } else {
                found = middle;
            }
        }
        return low == 0 ? 0 : positions[low - 1];
    }

    /** Returns a position at or before the first batch with a timestamp at or after the given timestamp. */
    int positionOfTime(long timestamp) {
        int found = timeCount;
        long[] keys = timestamps;
        int low = 0;
        while (low < found) {
            int middle = (low + found) >>> 1;
            if (keys[middle] < timestamp) {
                low = middle + 1;
            } else {
                found = middle;
            }
        }
        return low == 0 ? 0 : positionOf(timeOffsets[low - 1]);
    }

    /** Adds the last entry of the time index, which contains the segment's largest timestamp. */
    void finish() {
        addTimeEntry();
    }

    /** Returns the content of the index file. */
    ByteBuffer toIndex() {
        ByteBuffer file = ByteBuffer.allocate(count * IndexLayout.ENTRY_LENGTH);
        for (int i = 0; i < count; i++) {
            IndexLayout.put(file, i, offsets[i], positions[i]);
        }
        return file;
    }

    /** Returns the content of the time index file. */
    ByteBuffer toTimeIndex() {
        ByteBuffer file = ByteBuffer.allocate(timeCount * IndexLayout.TIME_ENTRY_LENGTH);
        for (int i = 0; i < timeCount; i++) {
            IndexLayout.putTime(file, i, timestamps[i], timeOffsets[i]);
        }
        return file;
    }

    /** Returns an index with the entries of the two files. */
    static SegmentIndex of(ByteBuffer index, ByteBuffer timeIndex, int interval) {
        SegmentIndex result = new SegmentIndex(interval);
        for (int i = 0; i < index.limit() / IndexLayout.ENTRY_LENGTH; i++) {
            result.addEntry(IndexLayout.offset(index, i), IndexLayout.position(index, i));
        }
        for (int i = 0; i < timeIndex.limit() / IndexLayout.TIME_ENTRY_LENGTH; i++) {
            result.largestTimestamp = IndexLayout.timestamp(timeIndex, i);
            result.largestTimestampOffset = IndexLayout.timeOffset(timeIndex, i);
            result.addTimeEntry();
        }
        return result;
    }
}
