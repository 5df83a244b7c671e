package io.rocketbufs.delivery;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.Vecs;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What was delivered into one buffer, in the order of delivery: a fixed ring of records, read by every subscription at
 * its own pace.
 *
 * <p>A record is a range of local memory that holds one or more whole deliveries. Deliveries that follow each other in
 * memory merge into the newest record up to a limit; a reader may stop at any end that it has seen, for every visible
 * end is the end of a delivery. Readers count in <em>log positions</em>: delivered bytes, without gaps. A record also
 * holds its <em>floor</em>: the lowest local position still in use by it or by anything delivered later, which is lower
 * than its own start when an earlier reservation was still open.
 *
 * <p><b>Thread-safety:</b> one producer thread at a time appends and reclaims; any number of readers, each with a
 * {@link Cursor} of its own. A record's slot is reused only when all readers have passed it.
 *
 * <p><b>Source:</b> RocketBufs 3.2, the queue of a subscription; one ring serves all of a buffer's queues.
 */
final class DeliveryLog {
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    private final int mask;
    private final long[] localStarts;
    private final long[] logStarts;
    private final long[] lengths;
    private final long[] floors;
    private final AtomicReferenceArray<DataOutStatus> states;
    private final AtomicReferenceArray<Object> contexts;

    /** Number of records ever published; written by the producer. */
    private volatile long tail;
    /** Oldest record that is kept; at most tail - 1, so that the newest can always grow. Producer only. */
    private long head;
    /** Log position of the end; producer only. */
    private long end;

    /**
     * Makes an empty log.
     *
     * @param recordCount rounded up to a power of two
     * @param separate keeps deliveries apart, each with a context and a status, and able to be discarded
     */
    DeliveryLog(int recordCount, boolean separate) {
        int size = Integer.highestOneBit(Math.max(2, recordCount) - 1) << 1;
        mask = size - 1;
        localStarts = new long[size];
        logStarts = new long[size];
        lengths = new long[size];
        floors = new long[size];
        states = separate ? new AtomicReferenceArray<>(size) : null;
        contexts = separate ? new AtomicReferenceArray<>(size) : null;
    }

    /**
     * Where one reader stands: everything before {@code position} is behind it.
     *
     * <p>Its record ends at the position or later, and the log keeps the record that ends where the slowest reader
     * stands; so a cursor's record is never reused, although a reader rests on one that it has read to the end.
     */
    static final class Cursor {
        private long record;
        private long position;
        /** End of the transfer that was begun; what is discarded before it goes out all the same. */
        private long begunEnd;

        long position() {
            return position;
        }
    }

    // Producer.

    /** How many records can be added without reuse of one that is still wanted. */
    long room() {
        return mask + 1 - (tail - head);
    }

    /** Most room that there can be from now on: the newest record is kept. */
    long mostRoom() {
        return tail == 0 ? mask + 1 : mask;
    }

    /** Log position of the end, for the producer. */
    long end() {
        return end;
    }

    /** Number of the next record. */
    long nextRecord() {
        return tail;
    }

    /** True when every delivery has a record of its own. */
    boolean separate() {
        return states != null;
    }

    /**
     * Appends a delivery; the caller has checked {@link #room()} unless the delivery merges.
     *
     * @param floor lowest local position in use by this delivery or by an open reservation
     * @param mergeLimit longest record that may come of merging
     * @param context kept when deliveries are separate
     */
    void append(long localStart, long length, long floor, long mergeLimit, Object context) {
        int last = (int) (tail - 1) & mask;
        if (floor == localStart && merges(last, localStart, length, mergeLimit)) {
            LONGS.setRelease(lengths, last, lengths[last] + length);
        } else {
            add(localStart, length, floor, context);
        }
        end += length;
    }

    private boolean merges(int last, long localStart, long length, long mergeLimit) {
        return tail > 0
                && !separate()
                && localStarts[last] + lengths[last] == localStart
                && floors[last] == localStarts[last]
                && lengths[last] + length <= mergeLimit;
    }

    private void add(long localStart, long length, long floor, Object context) {
        int slot = (int) tail & mask;
        localStarts[slot] = localStart;
        logStarts[slot] = end;
        floors[slot] = floor;
        LONGS.setRelease(lengths, slot, length);
        if (separate()) {
            states.set(slot, DataOutStatus.SENT);
            contexts.set(slot, context);
        }
        tail++;
    }

    /**
     * Lets go of the records before {@code released}, and tells what memory is free thereby.
     *
     * @param released log position that all readers have passed
     * @param firstKept record that must be kept for another reason
     * @param openFloor lowest local position that the producer itself uses
     * @return local position below which memory is free
     */
    long reclaim(long released, long firstKept, long openFloor) {
        long record = head;
        long last = tail - 1;
        while (record < last && logEnd(record) < released) {
            record++;
        }
        head = Math.max(head, Math.min(record, firstKept));
        if (record < last && logEnd(record) == released) {
            record++;
        }
        if (released == end) {
            return openFloor;
        }
        int slot = (int) record & mask;
        long behind = Math.max(0, released - logStarts[slot]);
        return floors[slot] == localStarts[slot] ? floors[slot] + behind : floors[slot];
    }

    /** The first boundary at which a reader must stand so that memory below {@code local} is free of it. */
    long boundaryFor(long local) {
        for (long record = head; record < tail; record++) {
            if (floors[(int) record & mask] >= local) {
                return logStarts[(int) record & mask];
            }
        }
        return end;
    }

    /** The first boundary at which all readers must stand so that there is room for so many records. */
    long boundaryForRoom(int count) {
        // The record that ends where the slowest stands is kept.
        return logEnd(Math.min(tail - 1, tail + count - 1 - mask));
    }

    /**
     * Marks a delivery so that readers which have not begun it pass over it.
     *
     * @param released log position that all readers have passed
     * @return false when it lies before that, is marked already, or is unknown
     */
    boolean discard(long record, long released) {
        return separate()
                && record >= head
                && record < tail
                && logEnd(record) > released
                && states.compareAndSet((int) record & mask, DataOutStatus.SENT, DataOutStatus.DISCARDED);
    }

    /** Notes for the newest delivery that nobody wanted it. */
    void markUnwanted() {
        states.compareAndSet((int) (tail - 1) & mask, DataOutStatus.SENT, DataOutStatus.NO_SUBSCRIBER);
    }

    /** Notes that a reader which stood at {@code released} will not read on. */
    void markLost(long released) {
        markLost(released, Long.MAX_VALUE);
    }

    /** Notes that a reader which stands at {@code position} goes on at {@code next}. */
    void markLost(long position, long next) {
        long record = tail - 1;
        if (!separate() || record < 0 || logEnd(record) <= position) {
            return;
        }
        // No further back than the reader holds the records: an older slot may be in use again.
        for (; ; record--) {
            long start = logStarts[(int) record & mask];
            if (start < next) {
                states.compareAndSet((int) record & mask, DataOutStatus.SENT, DataOutStatus.LOST);
            }
            if (start <= position) {
                return;
            }
        }
    }

    /** What became of a delivery that all readers have passed. */
    DataOutStatus status(long record) {
        return states.get((int) record & mask);
    }

    // Readers.

    /** Log position of the end as this thread sees it. */
    long visibleEnd() {
        while (true) {
            long records = tail;
            if (records == 0) {
                return 0;
            }
            long seen = logEnd(records - 1);
            VarHandle.acquireFence();
            // Who reads nothing holds no record: its slot may have been taken for a newer one meanwhile.
            if (tail - records < mask) {
                return seen;
            }
        }
    }

    /** Puts a cursor at the end; what is delivered from now on lies before it. */
    void seekEnd(Cursor cursor) {
        long records = tail;
        cursor.record = Math.max(0, records - 1);
        cursor.position = records == 0 ? 0 : logEnd(records - 1);
        cursor.begunEnd = cursor.position;
    }

    /** Puts a cursor at a boundary, at which it stood, or a place was held, or which lies further on. */
    void seek(Cursor cursor, long position) {
        // From the newest back, for older ones than the wanted may be reused at this moment.
        long record = Math.max(0, tail - 1);
        while (record > 0 && logStarts[(int) record & mask] > position) {
            record--;
        }
        cursor.record = record;
        cursor.position = position;
        cursor.begunEnd = position;
    }

    /** Moves a cursor by what was taken; before the reader lets anybody know that it has passed that. */
    void advance(Cursor cursor, long length) {
        cursor.position += length;
        while (logEnd(cursor.record) < cursor.position) {
            cursor.record++;
        }
    }

    /** True when something lies before the cursor. */
    boolean hasMore(Cursor cursor) {
        settle(cursor);
        return cursor.record < tail && logEnd(cursor.record) > cursor.position;
    }

    /**
     * Begins a transfer at the cursor: tells where it ends. It takes whole deliveries, as many as fit the limit, at
     * least one.
     *
     * @return the cursor's position when there is nothing
     */
    long transferEnd(Cursor cursor, long limit, boolean coalesce) {
        cursor.begunEnd = cursor.position;
        settle(cursor);
        long records = tail;
        if (cursor.record >= records) {
            return cursor.position;
        }
        long transferEnd = logEnd(cursor.record);
        for (long next = cursor.record + 1; coalesce && next < records; next++) {
            long nextEnd = logEnd(next);
            if (nextEnd - cursor.position > limit || isDiscarded(next)) {
                break;
            }
            transferEnd = nextEnd;
        }
        cursor.begunEnd = transferEnd;
        return transferEnd;
    }

    /**
     * Gathers the memory from the cursor on.
     *
     * @return bytes gathered, fewer than {@code length} when {@code into} is full
     */
    long gather(Cursor cursor, long length, CircularBuffer memory, Vecs into) {
        long position = cursor.position;
        long last = cursor.position + length;
        for (long record = cursor.record; position < last; record++) {
            long take = Math.min(last, logEnd(record)) - position;
            int slot = (int) record & mask;
            if (!memory.range(localStarts[slot] + position - logStarts[slot], take, into)) {
                return into.totalLength();
            }
            position += take;
        }
        return length;
    }

    /** The context of a delivery, and forgets it. */
    Object takeContext(long record) {
        return contexts.getAndSet((int) record & mask, null);
    }

    /** Log position at which a record ends. */
    long logEnd(long record) {
        int slot = (int) record & mask;
        return (long) LONGS.getAcquire(lengths, slot) + logStarts[slot];
    }

    /** Passes records that are done or discarded. The newest may still grow, so a cursor stays on it. */
    private void settle(Cursor cursor) {
        long records = tail;
        while (cursor.record < records) {
            if (cursor.position >= cursor.begunEnd
                    && cursor.position == logStarts[(int) cursor.record & mask]
                    && isDiscarded(cursor.record)) {
                cursor.position = logEnd(cursor.record);
            }
            if (cursor.record == records - 1 || cursor.position < logEnd(cursor.record)) {
                return;
            }
            cursor.record++;
        }
    }

    private boolean isDiscarded(long record) {
        return states != null && states.get((int) record & mask) == DataOutStatus.DISCARDED;
    }
}
