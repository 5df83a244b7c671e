package io.rocketbufs.buffer;

import io.rocketbufs.memory.Vecs;
import io.rocketbufs.options.DataOutStatus;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What was delivered into one buffer, in the order of delivery: a ring of records, read by every subscription at its
 * own pace.
 *
 * <p>A record is a range of local memory that holds one or more whole deliveries. Deliveries that follow each other in
 * memory merge into the newest record up to a limit; a reader may stop at any end that it has seen, for every visible
 * end is the end of a delivery. Readers count in <em>log positions</em>: delivered bytes, without gaps. A record also
 * holds its <em>floor</em>: the lowest local position still in use by it or by anything delivered later, which is lower
 * than its own start when an earlier reservation was still open.
 *
 * <p>A process may have thousands of buffers, most of which have little to remember, so the ring begins small. Before
 * it is full, the producer should {@linkplain #reclaim let go} of what nobody wants; where that does not help, it
 * doubles, up to a limit. So it holds what was wanted at most, and nothing is allocated from then on. Where deliveries
 * are kept apart, each takes a record and the application chose how many, so all are there from the beginning.
 *
 * <p><b>Thread-safety:</b> one producer thread at a time appends and reclaims; any number of readers, each with a
 * {@link Cursor} of its own. A record's slot is reused only when all readers have passed it. The producer publishes a
 * larger ring before the number of the first record that is in no other, and readers look for the number first; so the
 * ring that they find has the record, unless nobody held it when the ring grew.
 *
 * <p><b>Source:</b> RocketBufs 3.2, the queue of a subscription; one ring serves all of a buffer's queues.
 */
public final class DeliveryLog {
    private static final int FIRST_COUNT = 8;

    private final int limit;
    private final AtomicReferenceArray<DataOutStatus> states;
    private final AtomicReferenceArray<Object> contexts;

    /** Replaced by the producer, before a record that fits into no older one is published. */
    private volatile DeliveryRecords records;
    /** Number of records ever published; written by the producer. */
    private volatile long tail;
    /** Oldest record that is kept; at most tail - 1, so that the newest can always grow. Producer only. */
    private long head;
    /** Log position of the end; producer only. */
    private long end;

    private final GapMarks gaps = new GapMarks();
    /** The next delivery must not merge: a gap lies before it. Producer only. */
    private boolean gapAtEnd;

    /**
     * Makes an empty log.
     *
     * @param recordCount most records, rounded up to a power of two
     * @param separate keeps deliveries apart, each with a context and a status, and able to be discarded
     */
    public DeliveryLog(int recordCount, boolean separate) {
        limit = Integer.highestOneBit(Math.max(2, recordCount) - 1) << 1;
        records = new DeliveryRecords(separate ? limit : Math.min(limit, FIRST_COUNT));
        states = separate ? new AtomicReferenceArray<>(limit) : null;
        contexts = separate ? new AtomicReferenceArray<>(limit) : null;
    }

    /**
     * Where one reader stands: everything before {@code position} is behind it.
     *
     * <p>Its record ends at the position or later, and the log keeps the record that ends where the slowest reader
     * stands; so a cursor's record is never reused, although a reader rests on one that it has read to the end.
     */
    public static final class Cursor {
        private long record;
        private long position;
        /** End of the transfer that was begun; what is discarded before it goes out all the same. */
        private long begunEnd;

        /** Returns the log position of the next byte. */
        public long position() {
            return position;
        }
    }

    // Producer.

    /** Returns the most records that there can be. */
    public int limit() {
        return limit;
    }

    /** Returns how many records can be added without reuse of one that is still wanted. */
    public long room() {
        return limit - (tail - head);
    }

    /** How many of these are possible without more memory. */
    public long roomAtHand() {
        return records.count() - (tail - head);
    }

    /** Most room that there can be from now on: the newest record is kept. */
    public long mostRoom() {
        return tail == 0 ? limit : limit - 1;
    }

    /** Log position of the end, for the producer. */
    public long end() {
        return end;
    }

    /** Number of the next record. */
    public long nextRecord() {
        return tail;
    }

    /** True when every delivery has a record of its own. */
    public boolean separate() {
        return states != null;
    }

    /**
     * Appends a delivery; the caller has checked {@link #room()} unless the delivery merges.
     *
     * @param floor lowest local position in use by this delivery or by an open reservation
     * @param mergeLimit longest record that may come of merging
     * @param context kept when deliveries are separate
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

    /** Notes that bytes were lost between what has been appended and what follows. */
    public void appendGap(long lost) {
        gaps.add(end, lost);
        gapAtEnd = true;
    }

    /**
     * Lets go of the records before {@code released}, and tells what memory is free thereby.
     *
     * @param released log position that all readers have passed
     * @param firstKept record that must be kept for another reason
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

    /** The first boundary at which a reader must stand so that memory below {@code local} is free of it. */
    public long boundaryFor(long local) {
        DeliveryRecords ring = records;
        for (long record = head; record < tail; record++) {
            if (ring.floor(record) >= local) {
                return ring.logStart(record);
            }
        }
        return end;
    }

    /** The first boundary at which all readers must stand so that there is room for so many records. */
    public long boundaryForRoom(int count) {
        // The record that ends where the slowest stands is kept.
        return logEnd(Math.min(tail - 1, tail + count - limit));
    }

    /**
     * Marks a delivery so that readers which have not begun it pass over it.
     *
     * @param released log position that all readers have passed
     * @return false when it lies before that, is marked already, or is unknown
     */
    public boolean discard(long record, long released) {
        return separate()
                && record >= head
                && record < tail
                && logEnd(record) > released
                && states.compareAndSet(slot(record), DataOutStatus.SENT, DataOutStatus.DISCARDED);
    }

    /** Notes for the newest delivery that nobody wanted it. */
    public void markUnwanted() {
        states.compareAndSet(slot(tail - 1), DataOutStatus.SENT, DataOutStatus.NO_SUBSCRIBER);
    }

    /** Notes that a reader which stood at {@code released} will not read on. */
    public void markLost(long released) {
        markLost(released, Long.MAX_VALUE);
    }

    /** Notes that a reader which stands at {@code position} goes on at {@code next}. */
    public void markLost(long position, long next) {
        long record = tail - 1;
        if (!separate() || record < 0 || logEnd(record) <= position) {
            return;
        }
        // No further back than the reader holds the records: an older slot may be in use again.
        DeliveryRecords ring = records;
        // Not beyond the oldest record: a reader that holds nothing may name a position that is long gone.
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

    /** What became of a delivery that all readers have passed. */
    public DataOutStatus status(long record) {
        return states.get(slot(record));
    }

    // Readers.

    /** Log position of the end as this thread sees it. */
    public long visibleEnd() {
        while (true) {
            long count = tail;
            if (count == 0) {
                return 0;
            }
            DeliveryRecords ring = records;
            long seen = ring.logEnd(count - 1);
            VarHandle.acquireFence();
            // Who reads nothing holds no record: its slot may have been taken for a newer one meanwhile, or a larger
            // ring made without it.
            if (count > ring.first() && tail - count < ring.count() - 1) {
                return seen;
            }
        }
    }

    /** Puts a cursor at the end; what is delivered from now on lies before it. */
    public void seekEnd(Cursor cursor) {
        long count = tail;
        cursor.record = Math.max(0, count - 1);
        cursor.position = count == 0 ? 0 : logEnd(count - 1);
        cursor.begunEnd = cursor.position;
    }

    /** Puts a cursor at a boundary, at which it stood, or a place was held, or which lies further on. */
    public void seek(Cursor cursor, long position) {
        // From the newest back, for older ones than the wanted may be reused at this moment.
        long record = Math.max(0, tail - 1);
        DeliveryRecords ring = records;
        while (record > 0 && ring.logStart(record) > position) {
            record--;
        }
        cursor.record = record;
        cursor.position = position;
        cursor.begunEnd = position;
    }

    /** Moves a cursor by what was taken; before the reader lets anybody know that it has passed that. */
    public void advance(Cursor cursor, long length) {
        cursor.position += length;
        DeliveryRecords ring = records;
        while (ring.logEnd(cursor.record) < cursor.position) {
            cursor.record++;
        }
    }

    /** True when something lies before the cursor. */
    public boolean hasMore(Cursor cursor) {
        settle(cursor);
        return cursor.record < tail && logEnd(cursor.record) > cursor.position;
    }

    /**
     * Begins a transfer at the cursor: tells where it ends. It takes whole deliveries, as many as fit the limit, at
     * least one.
     *
     * @return the cursor's position when there is nothing
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

    /** Returns how many bytes were lost before the log at a position or earlier. */
    public long gapsBefore(long position) {
        return gaps.total(position);
    }

    /**
     * Gathers the memory from the cursor on.
     *
     * @return bytes gathered, fewer than {@code length} when {@code into} is full
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

    /** The context of a delivery, and forgets it. */
    public Object takeContext(long record) {
        return contexts.getAndSet(slot(record), null);
    }

    /** Log position at which a record ends. */
    public long logEnd(long record) {
        return records.logEnd(record);
    }

    /** Passes records that are done or discarded. The newest may still grow, so a cursor stays on it. */
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
