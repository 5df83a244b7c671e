package io.rocketbufs.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The memory of a {@link DeliveryLog}: a ring of records, indexed by number. Each record occupies half a cache line. A
 * lookup in one of thousands of buffers therefore costs one cache miss instead of four.
 *
 * <pre>
 *   0  local start   position in the buffer's memory
 *   1  log start     log position
 *   2  floor         lowest local position in use by this record or a later one
 *   3  length        bytes; the only field that changes after publication
 * </pre>
 *
 * <p><b>Thread-safety:</b> one producer thread at a time writes. Other threads read only published records, and must
 * check that a record was not reused while they read it. After a larger ring has replaced a ring, the old ring no
 * longer changes, and a reader that has loaded it may continue to read it.
 */
final class DeliveryRecords {
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private static final int SHIFT = 2;
    private static final int LOCAL_START = 0;
    private static final int LOG_START = 1;
    private static final int FLOOR = 2;
    private static final int LENGTH = 3;

    private final long[] fields;
    private final int mask;
    private final long first;

    /** Creates an empty ring; {@code count} must be a power of two. */
    DeliveryRecords(int count) {
        this(count, 0);
    }

    private DeliveryRecords(int count, long first) {
        this.fields = new long[count << SHIFT];
        this.mask = count - 1;
        this.first = first;
    }

    /**
     * Returns a ring that is twice as long and contains the records from {@code head} (inclusive) to {@code tail}
     * (exclusive).
     */
    DeliveryRecords grown(long head, long tail) {
        DeliveryRecords grown = new DeliveryRecords(2 * count(), head);
        for (long record = head; record < tail; record++) {
            System.arraycopy(fields, at(record), grown.fields, grown.at(record), 1 << SHIFT);
        }
        return grown;
    }

    /** Returns the number of records that fit into this ring. */
    int count() {
        return mask + 1;
    }

    /** Returns the number of the oldest record that was copied into this ring. */
    long first() {
        return first;
    }

    /** Writes a record. The caller must publish the record's number afterwards. */
    void put(long record, long localStart, long logStart, long floor, long length) {
        int at = at(record);
        // Pairs with the acquire fence in DeliveryLog.visibleEnd: a reader of the slot's previous record that sees any
        // of these values also sees a tail that reveals the reuse of the slot.
        VarHandle.storeStoreFence();
        fields[at + LOCAL_START] = localStart;
        fields[at + LOG_START] = logStart;
        fields[at + FLOOR] = floor;
        LONGS.setRelease(fields, at + LENGTH, length);
    }

    /** Extends the newest record. */
    void lengthen(long record, long length) {
        int at = at(record) + LENGTH;
        LONGS.setRelease(fields, at, fields[at] + length);
    }

    long localStart(long record) {
        return fields[at(record) + LOCAL_START];
    }

    long logStart(long record) {
        return fields[at(record) + LOG_START];
    }

    long floor(long record) {
        return fields[at(record) + FLOOR];
    }

    long length(long record) {
        return (long) LONGS.getAcquire(fields, at(record) + LENGTH);
    }

    /** Returns the log position at which a record ends. */
    long logEnd(long record) {
        // Read the length first: a thread that sees it also sees the other fields.
        long length = length(record);
        return length + logStart(record);
    }

    private int at(long record) {
        return ((int) record & mask) << SHIFT;
    }
}
