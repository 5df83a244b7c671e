package io.rocketbufs.buffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The memory of a {@link DeliveryLog}: a ring of records by number, each half a cache line, so that a buffer among
 * thousands costs one miss and not four.
 *
 * <pre>
 *   0  local start   position in the buffer's memory
 *   1  log start     log position
 *   2  floor         lowest local position in use by this or anything later
 *   3  length        bytes; alone changes once the record is published
 * </pre>
 *
 * <p><b>Thread-safety:</b> one producer thread at a time writes. Others read a record that they know to be published,
 * and that nobody reuses meanwhile. A larger ring takes this one's place and this one stays as it is, so whoever has
 * looked it up may read on in it: it knows what was true when it was looked up.
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

    /** Makes an empty ring for a number of records that is a power of two. */
    DeliveryRecords(int count) {
        this(count, 0);
    }

    private DeliveryRecords(int count, long first) {
        this.fields = new long[count << SHIFT];
        this.mask = count - 1;
        this.first = first;
    }

    /** A ring twice as large with the records from {@code head} to before {@code tail}, and no older ones. */
    DeliveryRecords grown(long head, long tail) {
        DeliveryRecords grown = new DeliveryRecords(2 * count(), head);
        for (long record = head; record < tail; record++) {
            System.arraycopy(fields, at(record), grown.fields, grown.at(record), 1 << SHIFT);
        }
        return grown;
    }

    /** Number of records that there is memory for. */
    int count() {
        return mask + 1;
    }

    /** Number of the oldest record that was taken over. */
    long first() {
        return first;
    }

    /** Writes a record; its number must be published after that. */
    void put(long record, long localStart, long logStart, long floor, long length) {
        int at = at(record);
        // A reader that still looks at the slot must see the newer record count before it sees these.
        VarHandle.storeStoreFence();
        fields[at + LOCAL_START] = localStart;
        fields[at + LOG_START] = logStart;
        fields[at + FLOOR] = floor;
        LONGS.setRelease(fields, at + LENGTH, length);
    }

    /** Makes the newest record longer. */
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

    /** Log position at which a record ends. */
    long logEnd(long record) {
        // The length first: whoever sees it sees the rest.
        long length = length(record);
        return length + logStart(record);
    }

    private int at(long record) {
        return ((int) record & mask) << SHIFT;
    }
}
