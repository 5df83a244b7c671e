package io.rocketbufs.buffer;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.DataOutStatus;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The deliveries into one buffer, in order: a ring of records that every subscription reads at its own pace.
 *
 * <p>A record is a range of local memory that contains one or more whole deliveries. Deliveries that are adjacent in
 * memory merge into the newest record, up to a length limit. Every end that a reader can see is the end of a delivery,
 * so a reader may stop at any of these ends. Readers count in <em>log positions</em>: delivered bytes, without gaps. A
 * record also has a <em>floor</em>: the lowest local position in use by the record or by any later delivery. The floor
 * is lower than the start of the record if an earlier reservation was still open.
 *
 * <p>A process may have thousands of buffers, most of which need few records, so the ring starts small. Before the ring
 * is full, the producer should {@linkplain #reclaim release} the records that all readers have passed. If this does not
 * free enough records, the ring doubles in length, up to a limit. The ring never shrinks, so nothing is allocated in a
 * steady state. If deliveries are kept separate, each delivery occupies one record. The application then chooses the
 * number of records, all of which are allocated at the start.
 *
 * <p><b>Thread-safety:</b> one producer thread at a time appends and reclaims. There may be any number of readers, each
 * with its own {@link Cursor}. A record's slot is reused only after all readers have passed the record. The producer
 * publishes a larger ring before it publishes the number of the first record that exists only in this ring. Readers
 * load the number before they load the ring. The ring that a reader loads therefore contains the record, unless no
 * reader needed the record when the ring grew.
 *
 * <p><b>Source:</b> RocketBufs 3.2, the queue of a subscription. Here, one ring serves as the queue of all
 * subscriptions.
 */
public final class DeliveryLog {
    private static final int FIRST_COUNT = 8;

    private final int limit;
    private final AtomicReferenceArray<DataOutStatus> states;
    private final AtomicReferenceArray<Object> contexts;

    /** The current ring. The producer replaces it before publishing a record that does not fit. */
    private volatile DeliveryRecords records;
    /** Number of records published since creation; written by the producer. */
    private volatile long tail;
    /** Number of the oldest record kept; at most tail - 1, so that the newest record can always grow. Producer only. */
    private long head;
    /** Log position at which the log ends; producer only. */
    private long end;

    private final GapMarks gaps = new GapMarks();
    /** True if a gap precedes the next delivery, which must therefore not be merged. Producer only. */
    private boolean gapAtEnd;

    /**
     * Creates an empty log.
     *
     * @param recordCount maximum number of records, rounded up to a power of two
     * @param separate true to keep deliveries separate, each with a context and a status, so that each can be discarded
     */
    public DeliveryLog(int recordCount, boolean separate) {
        limit = Integer.highestOneBit(Math.max(2, recordCount) - 1) << 1;
        records = new DeliveryRecords(separate ? limit : Math.min(limit, FIRST_COUNT));
        states = separate ? new AtomicReferenceArray<>(limit) : null;
        contexts = separate ? new AtomicReferenceArray<>(limit) : null;
    }

    /**
     * The position of one reader. The reader has read everything before this position.
     *
     * <p>The cursor's record ends at the position or later, and the log keeps the record that ends at the position of
     * the slowest reader. A cursor's record is therefore never reused, even after its reader has read the record to the
     * end.
     */
    public static final class Cursor {
        private long record;
        private long position;
        /** End of the transfer in progress. Deliveries before it are sent even if they are discarded. */
        private long begunEnd;

        /** Returns the log position of the next byte. */
        public long position() {
            return position;
        }

        /** Returns the number of the record that contains the next byte or ends immediately before it. */
        public long record() {
            return record;
        }
    }

    // Producer.

    /** Returns the maximum number of records. */
    public int limit() {
        return limit;
    }

    /** Returns the number of records that can be added without reusing a record that is still needed. */
    public long room() {
        return limit - (tail - head);
    }

    /** Returns the number of records that can be added without allocating a larger ring. */
    public long roomAtHand() {
        return records.count() - (tail - head);
    }

    /** Returns the upper bound of all future results of {@link #room()}. The newest record is always kept. */
    public long mostRoom() {
        return tail == 0 ? limit : limit - 1;
    }

    /** Returns the log position at which the log ends. Producer only. */
    public long end() {
        return end;
    }

    /** Returns the number of the next record. */
    public long nextRecord() {
        return tail;
    }

    /** Returns true if deliveries are kept separate, one per record. */
    public boolean separate() {
        return states != null;
    }

    /**
     * Appends a delivery. The caller must have checked {@link #room()}, unless the delivery merges.
     *
     * @param floor lowest local position in use by this delivery or by an open reservation
     * @param mergeLimit maximum length of a record into which deliveries are merged
     * @param context stored only if deliveries are kept separate
     */
    public void append(long localStart, long length, long floor, long mergeLimit, Object context) {
        if (floor == localStart && merges(localStart, length, mergeLimit)) {
            records.lengthen(tail - 1, length);
        } else {
            add(localStart, length, floor, context);
        }
        end += length;
    }

    private boolean merges(long localStart, long length, long mergeLimit) {
        if (tail == 0 || separate() || gapAtEnd) {
            return false;
        }
        DeliveryRecords ring = records;
        long last = tail - 1;
        long lastStart = ring.localStart(last);
        long lastLength = ring.length(last);
        return lastStart + lastLength == localStart
                && ring.floor(last) == lastStart
                && lastLength + length <= mergeLimit;
    }

    private void add(long localStart, long length, long floor, Object context) {
        if (room() == 0) {
            throw new IllegalStateException("the log is full: recordCount=" + limit + " end=" + end);
        }
        gapAtEnd = false;
        if (roomAtHand() == 0 && records.count() < limit) {
            records = records.grown(head, tail);
        }
        records.put(tail, localStart, end, floor, length);
        if (separate()) {
            states.set(slot(tail), DataOutStatus.SENT);
            contexts.set(slot(tail), context);
        }
        tail++;
    }

    /** Records that bytes were lost between the deliveries appended so far and those that follow. */
    public void appendGap(long lost) {
        gaps.add(end, lost);
        gapAtEnd = true;
    }

    /**
     * Releases the records before {@code released}, and returns the bound below which memory has become free.
     *
     * @param released log position that all readers have passed
     * @param firstKept first record that must be kept for another reason
     * @param openFloor lowest local position that the producer itself uses
     * @return local position below which memory is free
     */
    public long reclaim(long released, long firstKept, long openFloor) {
        if (!gaps.isEmpty()) {
            gaps.forget(released);
        }
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
        DeliveryRecords ring = records;
        long behind = Math.max(0, released - ring.logStart(record));
        long floor = ring.floor(record);
        return floor == ring.localStart(record) ? floor + behind : floor;
    }

    /** Returns the first boundary at which a reader no longer uses memory below {@code local}. */
    public long boundaryFor(long local) {
        // Floors never decrease, so a binary search suffices even for a buffer with many records.
        DeliveryRecords ring = records;
        long low = head;
        long high = tail;
        while (low < high) {
            long middle = low + high >>> 1;
            if (ring.floor(middle) >= local) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low < tail ? ring.logStart(low) : end;
    }

    /**
     * Returns the first boundary that all readers must reach to make room for {@code count} records. If there is
     * already room, returns a boundary that all readers have reached.
     */
    public long boundaryForRoom(int count) {
        if (tail == 0) {
            return end;
        }
        // The record that ends at the position of the slowest reader is kept.
        long needed = tail + count - limit;
        return needed <= head ? records.logStart(head) : logEnd(Math.min(tail - 1, needed));
    }

    /**
     * Marks a delivery as discarded. Readers that have not started to send the delivery then skip it.
     *
     * @param released log position that all readers have passed
     * @return false if the delivery lies before {@code released}, is already marked, or is unknown
     */
    public boolean discard(long record, long released) {
        return separate()
                && record >= head
                && record < tail
                && logEnd(record) > released
                && states.compareAndSet(slot(record), DataOutStatus.SENT, DataOutStatus.DISCARDED);
    }

    /** Marks the newest delivery as having no subscriber. */
    public void markUnwanted() {
        states.compareAndSet(slot(tail - 1), DataOutStatus.SENT, DataOutStatus.NO_SUBSCRIBER);
    }

    /** Marks as lost the deliveries that a reader had not read when it ended at {@code released}. */
    public void markLost(long released) {
        markLost(released, Long.MAX_VALUE);
    }

    /** Marks as lost the deliveries that a reader skips by moving from {@code position} to {@code next}. */
    public void markLost(long position, long next) {
        long record = tail - 1;
        if (!separate() || record < 0 || logEnd(record) <= position) {
            return;
        }
        // Search backwards, and stop at the record that contains the position, because the slots of older records may
        // have been reused.
        DeliveryRecords ring = records;
        // Also stop at the oldest record of the log, because a reader that keeps no record may pass an older position.
        for (; record >= Math.max(0, tail - limit); record--) {
            long start = ring.logStart(record);
            if (start < next) {
                states.compareAndSet(slot(record), DataOutStatus.SENT, DataOutStatus.LOST);
            }
            if (start <= position) {
                return;
            }
        }
    }

    /** Returns the status of a delivery that all readers have passed. */
    public DataOutStatus status(long record) {
        return states.get(slot(record));
    }

    // Readers.

    /** Returns the log position at which the log ends, as seen by the calling thread. */
    public long visibleEnd() {
        while (true) {
            long count = tail;
            if (count == 0) {
                return 0;
            }
            DeliveryRecords ring = records;
            long seen = ring.logEnd(count - 1);
            VarHandle.acquireFence();
            // A thread that is not a reader does not prevent the reuse of records. Since it read the count, the
            // record's slot may have been reused, or a larger ring without the record may have been created.
            if (count > ring.first() && tail - count < ring.count() - 1) {
                return seen;
            }
        }
    }

    /**
     * Returns the first boundary between records at or after a position, or the end of the log if there is none. The
     * log must have been kept from the position on.
     */
    public long boundaryFrom(long position) {
        long count = tail;
        if (count == 0) {
            return 0;
        }
        DeliveryRecords ring = records;
        long record = recordAt(position, count, ring);
        long start = ring.logStart(record);
        return start >= position ? start : record < count - 1 ? ring.logStart(record + 1) : ring.logEnd(record);
    }

    /**
     * Returns the newest record that starts at or before a position, or the oldest record if all records start later.
     * The slots of older records may be reused at any time. A reused slot contains a record that starts later than the
     * newest one known to this method.
     */
    private static long recordAt(long position, long count, DeliveryRecords ring) {
        long low = Math.max(0, count - ring.count());
        long high = count - 1;
        long newest = ring.logStart(high);
        while (low < high) {
            long middle = low + high + 1 >>> 1;
            long start = ring.logStart(middle);
            if (start <= position || start > newest) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** Returns the last boundary at or before a position. The log must have been kept from the position on. */
    public long boundaryBefore(long position) {
        Cursor cursor = new Cursor();
        seek(cursor, position);
        return boundaryAt(cursor);
    }

    /**
     * Converts a position that also counts the bytes lost before they reached this log. Returns the log position of the
     * first byte at or after that position.
     */
    public long positionOf(long countingLost) {
        return gaps.isEmpty() && gaps.sum() == 0 ? countingLost : gaps.positionOf(countingLost);
    }

    /**
     * Moves a cursor to a boundary. Either the cursor must be at or before the boundary, or the log must have been kept
     * from the boundary on.
     */
    public void seek(Cursor cursor, long position) {
        long count = tail;
        // A boundary at which a buffer ended may be older than all records.
        cursor.record = count == 0 ? 0 : recordAt(position, count, records);
        cursor.position = position;
        cursor.begunEnd = position;
    }

    /** Returns the last boundary at or before a cursor, which may have stopped inside a delivery. */
    public long boundaryAt(Cursor cursor) {
        return logEnd(cursor.record) == cursor.position ? cursor.position : records.logStart(cursor.record);
    }

    /** Moves a cursor forward. The reader must call this method before it publishes that it has passed these bytes. */
    public void advance(Cursor cursor, long length) {
        cursor.position += length;
        DeliveryRecords ring = records;
        while (ring.logEnd(cursor.record) < cursor.position) {
            cursor.record++;
        }
    }

    /** Returns true if there are more bytes to read. */
    public boolean hasMore(Cursor cursor) {
        settle(cursor);
        return cursor.record < tail && logEnd(cursor.record) > cursor.position;
    }

    /**
     * Starts a transfer at the cursor and returns its end. The transfer contains at least one delivery, and as many
     * whole deliveries as fit within the limit.
     *
     * @return the end of the transfer, or the cursor's position if there is nothing to send
     */
    public long transferEnd(Cursor cursor, long limit, boolean coalesce) {
        cursor.begunEnd = cursor.position;
        settle(cursor);
        long count = tail;
        if (cursor.record >= count) {
            return cursor.position;
        }
        DeliveryRecords ring = records;
        long transferEnd = ring.logEnd(cursor.record);
        long nextGap = gaps.isEmpty() ? Long.MAX_VALUE : gaps.next(cursor.position);
        for (long next = cursor.record + 1; coalesce && next < count; next++) {
            long nextEnd = ring.logEnd(next);
            if (nextEnd - cursor.position > limit || nextEnd > nextGap || isDiscarded(next)) {
                break;
            }
            transferEnd = nextEnd;
        }
        cursor.begunEnd = transferEnd;
        return transferEnd;
    }

    /**
     * Returns the number of bytes lost at or before a position.
     *
     * @param known the result for an earlier position, or 0 if there is none; the call is fast if nothing has been lost
     *     since then
     */
    public long gapsBefore(long position, long known) {
        return gaps.sum() == known ? known : gaps.total(position);
    }

    /**
     * Appends the memory of the next {@code length} bytes after the cursor to a list.
     *
     * @return number of bytes appended; less than {@code length} if {@code into} is full
     */
    public long gather(Cursor cursor, long length, CircularBuffer memory, Vecs into) {
        long position = cursor.position;
        long last = cursor.position + length;
        DeliveryRecords ring = records;
        for (long record = cursor.record; position < last; record++) {
            long take = Math.min(last, ring.logEnd(record)) - position;
            if (!memory.range(ring.localStart(record) + position - ring.logStart(record), take, into)) {
                return into.totalLength();
            }
            position += take;
        }
        return length;
    }

    /** Returns the local position of the next byte after the cursor. The caller must ensure that this byte exists. */
    public long localPosition(Cursor cursor) {
        DeliveryRecords ring = records;
        return ring.localStart(cursor.record) + cursor.position - ring.logStart(cursor.record);
    }

    /** Returns the context of a delivery and clears the reference to it. */
    public Object takeContext(long record) {
        return contexts.getAndSet(slot(record), null);
    }

    /** Returns the log position at which a record ends. */
    public long logEnd(long record) {
        return records.logEnd(record);
    }

    /**
     * Moves a cursor past records that have been read or discarded, but not past the newest record, which may still
     * grow.
     */
    private void settle(Cursor cursor) {
        long count = tail;
        DeliveryRecords ring = records;
        while (cursor.record < count) {
            if (cursor.position >= cursor.begunEnd
                    && cursor.position == ring.logStart(cursor.record)
                    && isDiscarded(cursor.record)) {
                cursor.position = ring.logEnd(cursor.record);
            }
            if (cursor.record == count - 1 || cursor.position < ring.logEnd(cursor.record)) {
                return;
            }
            cursor.record++;
        }
    }

    private boolean isDiscarded(long record) {
        return states != null && states.get(slot(record)) == DataOutStatus.DISCARDED;
    }

    private int slot(long record) {
        return (int) record & limit - 1;
    }
}
