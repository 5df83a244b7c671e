package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.memory.Region;
import io.rocketbufs.metrics.OutputState;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A buffer that the application fills, with its reservations, deliveries and free space.
 *
 * <p>Positions are local unless stated otherwise: they count the bytes of memory reserved since the buffer's creation.
 * Space is taken in the order of reservation, sent in the order of delivery and freed in the order of reservation. The
 * unused part of a reservation is released immediately if the reservation was the newest; otherwise, it is released
 * when the rest of the reservation is.
 *
 * <p><b>Thread-safety:</b> one producing thread at a time, asserted; any thread may report that a subscription has
 * released memory. <b>Ownership:</b> holds a lease on its memory until every subscription has ended and no segment is
 * open. <b>Source:</b> RocketBufs 3.1 to 3.3.
 */
public final class OutputBuffer implements FanoutOwner {
    /** There is no space until subscriptions have released more memory. */
    public static final long NO_SPACE = -1;
    /** Too many deliveries are pending, or too many reservations are open. */
    public static final long NO_RECORD = -2;
    /** Memory that must be overwritten is in use by a write; try again. */
    public static final long WRITES_PENDING = -3;
    /** The buffer has been removed. */
    public static final long CLOSED = -4;

    private static final Logger LOG = LoggerFactory.getLogger(OutputBuffer.class);
    private static final int MAX_OPEN = 64;
    private static final long MAX_RECORDS = 1 << 20;
    private static final long RECHECK_NS = 10_000_000;

    private final CircularBuffer memory;
    private final DeliveryLog log;
    private final Fanout fanout;
    private final DataOutReports reports;
    private final BooleanSupplier inWorker;
    private final Runnable onDrained;
    /** Positions of the open reservations. The array has room for the highest number of open reservations so far. */
    private long[] openStarts = new long[1];

    private int openCount;
    /** True when the buffer is drained, and only open segments keep its memory in use. */
    private boolean releaseWithLastSegment;

    private long reserved;
    private long freed;
    private Thread producing;
    private volatile Thread waiter;
    private volatile long wakeAt = Long.MAX_VALUE;
    private volatile boolean lacksRecord;
    private volatile Runnable onSpace;
    /** Log position that all readers must pass before the application is notified that there is space. */
    private volatile long tellAt = Long.MAX_VALUE;
    /**
     * For metrics only; a reader may see older values. A volatile store here would cost as much as the rest of a
     * delivery.
     */
    private long deliveredCount;

    private long refusedCount;

    /**
     * Creates a buffer over a region.
     *
     * @param sink called with the context and the status of each delivery; null for none
     * @param inWorker returns true on any transport's worker
     * @param onDrained run once when the removed buffer has no reader left
     */
    OutputBuffer(
            int bufferId,
            Region region,
            long capacity,
            BufferOptions options,
            BiConsumer<Object, DataOutStatus> sink,
            BooleanSupplier inWorker,
            Runnable onDrained) {
        this.inWorker = inWorker;
        this.memory = new CircularBuffer(region, capacity);
        boolean separate = options.discardable() || sink != null;
        this.log = new DeliveryLog(recordCount(options, separate, capacity), separate);
        this.reports = sink == null ? null : new DataOutReports(log, sink, () -> onReleased(Long.MAX_VALUE));
        this.fanout = new Fanout(bufferId, memory, log, options, this, reports);
        this.onDrained = onDrained;
        if (reports != null) {
            reports.follow(fanout::minReleased);
        }
        if (options.hold()) {
            fanout.expect(null);
        }
    }

    /**
     * Returns the number of records. If deliveries merge, this number suffices for the lowest merge limit that a
     * subscriber can impose.
     */
    private static int recordCount(BufferOptions options, boolean separate, long capacity) {
        return separate || !options.coalescing()
                ? options.recordCount()
                : (int) Math.max(options.recordCount(), Math.min(MAX_RECORDS, capacity / 64));
    }

    /** Returns the memory. */
    public CircularBuffer memory() {
        return memory;
    }

    /** Returns true when the buffer has been removed. */
    public boolean isEnded() {
        return fanout.isEnded();
    }

    /** Returns the readers. */
    public Fanout fanout() {
        return fanout;
    }

    /**
     * Sets the callback that runs when another attempt may succeed after a refusal, and when the buffer ends. Must be
     * called before the first refusal.
     */
    public void tellSpace(Runnable callback) {
        onSpace = callback;
    }

    /**
     * Reserves the next {@code length} bytes.
     *
     * @return the position, or NO_SPACE, NO_RECORD, WRITES_PENDING or CLOSED
     * @throws IllegalArgumentException when no buffer of this capacity could provide that length
     */
    public long reserve(long length) {
        checkLength(length);
        assert enter();
        try {
            long position = tryReserve(length);
            if (position < 0) {
                refusedCount++;
                return onSpace == null || position == CLOSED ? position : askToBeTold(length, position);
            }
            return position;
        } finally {
            assert leave();
        }
    }

    /** Requests a notification from the thread that frees space, and tries again if space has already become free. */
    private long askToBeTold(long length, long refusal) {
        tellAt = worthWaking(length, refusal);
        VarHandle.fullFence();
        return passedPosition() >= tellAt || fanout.isEnded() ? tryReserve(length) : refusal;
    }

    /**
     * Reserves the next {@code length} bytes as {@link #reserve} does, but waits for space.
     *
     * @return the position, or CLOSED
     * @throws IllegalStateException when called on a worker, or when only the caller's own open reservations occupy the
     *     space
     * @throws InterruptedException when interrupted while waiting
     */
    public long reserveBlocking(long length) throws InterruptedException {
        long position = reserve(length);
        while (position < 0 && position != CLOSED) {
            checkMayWait(length);
            await(length, position);
            position = reserve(length);
        }
        return position;
    }

    /**
     * Extends the newest reservation.
     *
     * @return its position, or the reason for the refusal
     */
    public long extend(long position, long length, long newLength) {
        checkOpen(position, length);
        checkLength(newLength);
        if (newLength < length || position + length != reserved) {
            throw new IllegalArgumentException("position=" + position + " length=" + length + " newLength=" + newLength
                    + " reservedPosition=" + reserved + ": only the newest reservation can be extended");
        }
        long result = makeRoom(newLength - length);
        if (result < 0) {
            return result;
        }
        reserved = position + newLength;
        return position;
    }

    /**
     * Delivers the first {@code length} bytes of a reservation. Usually returns before they are sent.
     *
     * @param reservedLength length of the reservation
     * @param length bytes to send; 0 releases the whole reservation
     * @param context passed to the data-out callback
     * @return the number of this delivery, for {@link #discard}; -1 for length 0
     */
    public long deliver(long position, long reservedLength, long length, Object context) {
        if (length < 0 || length > reservedLength) {
            throw new IllegalArgumentException(
                    "length=" + length + " is not in the range 0 to reservedLength=" + reservedLength);
        }
        int open = checkOpen(position, reservedLength);
        assert enter();
        try {
            System.arraycopy(openStarts, open + 1, openStarts, open, --openCount - open);
            if (position + reservedLength == reserved) {
                reserved = position + length;
            }
            long number = length == 0 ? -1 : append(position, length, context);
            if (length == 0) {
                // As in append: either this thread sees the end, or the ending thread sees the segment closed.
                VarHandle.fullFence();
            }
            if (openCount == 0 && fanout.isEnded()) {
                releaseIfWaitedFor();
            }
            return number;
        } finally {
            assert leave();
        }
    }

    private long append(long position, long length, Object context) {
        boolean unwanted = fanout.isUnwanted();
        long floor = openCount == 0 ? position : Math.min(position, openStarts[0]);
        log.append(position, length, floor, fanout.options().coalescing() ? fanout.mergeLimit() : 0, context);
        deliveredCount++;
        long number = log.nextRecord() - 1;
        if (unwanted && log.separate()) {
            log.markUnwanted();
        }
        fanout.announceFromProducer(deliveredCount);
        if (unwanted && reports != null) {
            reports.announce(Runnable::run);
        }
        return number;
    }

    /**
     * Discards a delivery for every subscription that has not begun to send it.
     *
     * @return false when it is too late to discard the delivery or the number is unknown
     */
    public boolean discard(long delivery) {
        boolean discarded = log.discard(delivery, fanout.minReleased());
        if (discarded) {
            fanout.look();
        }
        return discarded;
    }

    /** Ends the buffer: no more data will be delivered, and {@link #reserveBlocking} returns CLOSED. */
    void end() {
        fanout.end();
        LockSupport.unpark(waiter);
        tell();
    }

    private void tell() {
        Runnable told = onSpace;
        tellAt = Long.MAX_VALUE;
        if (told != null) {
            try {
                told.run();
            } catch (RuntimeException e) {
                // The thread that frees space, possibly another connection's worker, must not be affected by the
                // failure.
                LOG.error("The space callback of buffer {} failed", fanout.bufferId(), e);
            }
        }
    }

    @Override
    public void onReleased(long released) {
        Thread waiting = waiter;
        if (waiting != null && released >= wakeAt && passedPosition() >= wakeAt) {
            LockSupport.unpark(waiting);
        }
        if (released >= tellAt && passedPosition() >= tellAt) {
            tell();
        }
    }

    @Override
    public long longestCoalesced() {
        return 0;
    }

    @Override
    public boolean overwrites() {
        return !fanout.options().flowControl();
    }

    @Override
    public void onDrained() {
        onDrained.run();
        synchronized (this) {
            // An open segment is still being filled: the memory is freed when it is delivered or cancelled.
            releaseWithLastSegment = openCount > 0;
            if (!releaseWithLastSegment) {
                memory.region().release();
            }
        }
    }

    private synchronized void releaseIfWaitedFor() {
        if (openCount == 0 && releaseWithLastSegment) {
            releaseWithLastSegment = false;
            memory.region().release();
        }
    }

    OutputState state(int output) {
        return new OutputState(
                output, fanout.bufferId(), memory.capacity(), deliveredCount, log.visibleEnd(), refusedCount);
    }

    private long tryReserve(long length) {
        if (fanout.isEnded()) {
            return CLOSED;
        }
        if (log.roomAtHand() <= openCount) {
            reclaim();
        }
        if (openCount == MAX_OPEN || log.room() <= openCount && !relieveRecords()) {
            return NO_RECORD;
        }
        if (openCount == 0 && memory.isRewindDue(reserved)) {
            reclaim();
            if (freed == reserved) {
                memory.rewind(reserved);
            }
        }
        long result = makeRoom(length);
        if (result < 0) {
            return result;
        }
        long position = reserved;
        if (openCount == openStarts.length) {
            openStarts = Arrays.copyOf(openStarts, 2 * openCount);
        }
        openStarts[openCount++] = position;
        reserved += length;
        return position;
    }

    /** Ensures that {@code length} more bytes can be reserved; returns 0, or the reason for the refusal. */
    private long makeRoom(long length) {
        if (reserved + length - freed <= memory.capacity()) {
            return 0;
        }
        reclaim();
        if (reserved + length - freed <= memory.capacity()) {
            return 0;
        }
        boolean relieved = fanout.relieve(log.boundaryFor(reserved + length - memory.capacity()));
        reclaim();
        if (reserved + length - freed <= memory.capacity()) {
            return 0;
        }
        return relieved || fanout.options().flowControl() ? NO_SPACE : WRITES_PENDING;
    }

    /** Reclaims the memory that subscriptions have released; returns true when another record is available. */
    private boolean reclaim() {
        long openFloor = openCount == 0 ? reserved : openStarts[0];
        long firstKept = reports == null ? Long.MAX_VALUE : reports.reported();
        freed = Math.max(freed, log.reclaim(fanout.minReleased(), firstKept, openFloor));
        return log.room() > openCount;
    }

    /** Applies the slow rules of the readers that keep the oldest record, because the ring is full. */
    private boolean relieveRecords() {
        fanout.relieve(log.boundaryForRoom(openCount + 1));
        return reclaim();
    }

    private void await(long length, long refusal) throws InterruptedException {
        wakeAt = worthWaking(length, refusal);
        waiter = Thread.currentThread();
        try {
            if (passedPosition() < wakeAt && !fanout.isEnded()) {
                // Waits with a time limit, because only another attempt applies the rules for slow subscriptions.
                LockSupport.parkNanos(this, RECHECK_NS);
            }
        } finally {
            waiter = null;
        }
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "interrupted while waiting for " + length + " bytes of buffer " + fanout.bufferId());
        }
    }

    /**
     * Returns the position at which to wake the waiter. Waking it for every transfer would cost a context switch each
     * time.
     */
    private long worthWaking(long length, long refusal) {
        lacksRecord = refusal == NO_RECORD;
        if (lacksRecord) {
            long now = passedPosition();
            return now + (log.end() - now + 1) / 2;
        }
        long needed = log.boundaryFor(reserved + length - memory.capacity());
        return Math.max(needed, log.end() - memory.capacity() / 2);
    }

    /**
     * Returns the log position that all readers have passed. If the log has no free record, returns the position up to
     * which deliveries have been reported, because records are reused only after their deliveries have been reported.
     */
    private long passedPosition() {
        return lacksRecord && reports != null ? reports.reportedPosition() : fanout.minReleased();
    }

    private void checkMayWait(long length) {
        boolean spaceIsOwn = openCount > 0 && reserved + length - memory.capacity() > openStarts[0];
        if (spaceIsOwn || openCount == MAX_OPEN || openCount >= log.mostRoom()) {
            throw new IllegalStateException("bufferId=" + fanout.bufferId() + " length=" + length + " openReservations="
                    + openCount + ": the call would wait for the caller's own open reservations");
        }
        if (inWorker.getAsBoolean()) {
            throw new IllegalStateException("bufferId=" + fanout.bufferId() + ": a worker must not block");
        }
    }

    private void checkLength(long length) {
        if (length < 1 || length > memory.capacity() || length > CircularBuffer.MAX_RANGE) {
            throw new IllegalArgumentException("bufferId=" + fanout.bufferId() + " length=" + length
                    + " must be positive, and exceed neither capacity=" + memory.capacity() + " nor maximum="
                    + CircularBuffer.MAX_RANGE);
        }
    }

    private int checkOpen(long position, long length) {
        for (int i = openCount - 1; i >= 0; i--) {
            if (openStarts[i] == position) {
                return i;
            }
        }
        throw new IllegalStateException("bufferId=" + fanout.bufferId() + " position=" + position + " length=" + length
                + ": no such open reservation");
    }

    private boolean enter() {
        if (producing != null && producing != Thread.currentThread()) {
            return false;
        }
        producing = Thread.currentThread();
        return true;
    }

    private boolean leave() {
        producing = null;
        return true;
    }
}
