package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.memory.Region;
import io.rocketbufs.metrics.OutputState;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.DataOutStatus;
import io.rocketbufs.options.Start;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/**
 * A buffer that the application fills, with its reservations, deliveries and free space.
 *
 * <p>Positions are local unless stated otherwise: they count the bytes of memory reserved since the buffer's creation.
 * Space is allocated and freed in the order of reservation; data is sent in the order of delivery. The unused part of
 * the newest reservation is released immediately; the unused part of any other reservation is released together with
 * the rest of that reservation.
 *
 * <p><b>Thread-safety:</b> one producing thread at a time, asserted; any thread may report that a subscription has
 * released memory. <b>Ownership:</b> holds a lease on its memory until every subscription has ended and no segment is
 * open. <b>Source:</b> RocketBufs 3.1 to 3.3.
 */
public final class OutputBuffer implements FanoutOwner {
    /** Result: there is no space until subscriptions have released more memory. */
    public static final long NO_SPACE = -1;
    /** Result: too many deliveries are pending, or too many reservations are open. */
    public static final long NO_RECORD = -2;
    /** Result: memory that must be overwritten is in use by a write; try again. */
    public static final long WRITES_PENDING = -3;
    /** Result: the buffer has been removed. */
    public static final long CLOSED = -4;

    private final CircularBuffer memory;
    /** Maximum number of bytes in transit; the rest of the memory is for kept data. */
    private final long capacity;

    private final DeliveryLog log;
    private final Fanout fanout;
    private final DataOutReports reports;
    private final BooleanSupplier inWorker;
    private final Runnable onDrained;
    private final OpenReservations open = new OpenReservations();
    private final OutputMemory pages;

    private long reserved;
    private long freed;
    private Thread producing;
    private final SpaceWait space;
    /** True once the producer has waited for space; until then, a release does not touch {@link #space}. */
    private volatile boolean hasWaited;

    private volatile boolean lacksRecord;
    private final ProducerCredit credit;
    /**
     * For metrics only; other threads may see older values. A volatile store here would cost as much as the rest of a
     * delivery.
     */
    private long deliveredCount;

    private long refusedCount;

    /**
     * Creates a buffer over a region.
     *
     * @param region memory of at least {@code capacity} bytes plus the bytes that the options keep
     * @param sink called with the context and the status of each delivery; null for none
     * @param inWorker returns true on any transport's worker
     * @param onDrained run once when the removed buffer has no reader left
     * @param touched contains the memory of buffers that may have pages to return
     */
    OutputBuffer(
            int bufferId,
            Region region,
            long capacity,
            BufferOptions options,
            BiConsumer<Object, DataOutStatus> sink,
            BooleanSupplier inWorker,
            Runnable onDrained,
            Set<OutputMemory> touched) {
        this.inWorker = inWorker;
        this.memory = new CircularBuffer(region, capacity + options.keep());
        if (options.keep() > 0) {
            memory.neverRewind();
        }
        this.capacity = capacity;
        boolean separate = options.discardable() || sink != null;
        this.log = new DeliveryLog(MergeLimits.recordCount(options, separate, memory.capacity()), separate);
        this.reports = sink == null ? null : new DataOutReports(log, sink, () -> onReleased(Long.MAX_VALUE));
        this.space = new SpaceWait(bufferId, this::passedPosition);
        this.fanout = new Fanout(bufferId, memory, log, options, this, reports);
        this.pages = new OutputMemory(memory, open, position -> fanout.minReleased() >= position, touched);
        this.credit = new ProducerCredit(fanout);
        this.onDrained = onDrained;
        if (reports != null) {
            reports.follow(fanout::minReleased);
        }
        if (options.hold()) {
            fanout.expect(null);
        }
    }

    /** Returns the memory. */
    public CircularBuffer memory() {
        return memory;
    }

    /** Returns true if the buffer has been removed. */
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
    public void setSpaceCallback(Runnable callback) {
        space.setCallback(callback);
    }

    /**
     * Reserves the next {@code length} bytes.
     *
     * @return the position, or NO_SPACE, NO_RECORD, WRITES_PENDING or CLOSED
     * @throws IllegalArgumentException if no buffer of this capacity could provide that length
     */
    public long reserve(long length) {
        checkLength(length);
        assert enter();
        try {
            long position = tryReserve(length);
            if (position < 0) {
                refusedCount++;
                return position == CLOSED || !space.hasCallback() ? position : askToBeNotified(length, position);
            }
            return position;
        } finally {
            assert leave();
        }
    }

    /** Requests a notification from the thread that frees space, and retries if space has already become free. */
    private long askToBeNotified(long length, long refusal) {
        long enough = worthWaking(length, refusal);
        hasWaited = true;
        space.notifyAt(enough);
        VarHandle.fullFence();
        fanout.onAwaited();
        long boundary = boundaryFor(length, refusal);
        if (!open.isFull() && fanout.minReleased() < boundary) {
            // A subscription that has joined since the attempt may begin with kept data that is in the way.
            fanout.relieve(boundary);
        }
        return passedPosition() >= enough || fanout.isEnded() ? tryReserve(length) : refusal;
    }

    /**
     * Reserves the next {@code length} bytes like {@link #reserve}, but waits for space.
     *
     * @return the position, or CLOSED
     * @throws IllegalStateException if called on a worker, or if only the caller's own open reservations occupy the
     *     space
     * @throws InterruptedException if interrupted while waiting
     */
    public long reserveBlocking(long length) throws InterruptedException {
        long position = reserve(length);
        while (position < 0 && position != CLOSED) {
            checkMayWait(length);
            await(length, position);
            position = reserve(length);
            VarHandle.fullFence(); // either this thread sees the end, or the ending thread sees the open segment
            if (position >= 0 && fanout.isEnded()) {
                deliver(position, length, 0, null);
                position = CLOSED;
            }
        }
        return position;
    }

    /**
     * Extends the newest reservation.
     *
     * @return the reservation's position, or the reason for the refusal
     */
    public long extend(long position, long length, long newLength) {
        open.check(fanout.bufferId(), position, length);
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
        assert enter();
        try {
            open.remove(fanout.bufferId(), position, reservedLength);
            if (position + reservedLength == reserved) {
                reserved = position + length;
            }
            long number = length == 0 ? -1 : append(position, length, context);
            if (length == 0) {
                // As in append, either this thread sees the end, or the ending thread sees that the segment is closed.
                VarHandle.fullFence();
            }
            if (open.isEmpty() && fanout.isEnded()) {
                pages.lastSegmentClosed();
            }
            return number;
        } finally {
            assert leave();
        }
    }

    private long append(long position, long length, Object context) {
        boolean unwanted = fanout.isUnwanted();
        long floor = Math.min(position, open.first(position));
        log.append(position, length, floor, fanout.options().coalescing() ? fanout.mergeLimit() : 0, context);
        deliveredCount++;
        long number = log.nextRecord() - 1;
        if (unwanted && log.separate()) {
            log.markUnwanted();
        }
        credit.use(memory.lengthTo(reserved));
        fanout.announceFromProducer(deliveredCount);
        if (unwanted && reports != null) {
            reports.announce(Runnable::run);
        }
        return number;
    }

    /**
     * Discards a delivery for every subscription that has not begun to send it.
     *
     * @return false if it is too late to discard the delivery or the number is unknown
     */
    public boolean discard(long delivery) {
        // A subscription that begins with kept data lowers the released position.
        boolean reported = reports != null && delivery < reports.reported();
        boolean discarded = !reported && log.discard(delivery, fanout.minReleased());
        if (discarded) {
            fanout.look();
        }
        return discarded;
    }

    /** Ends the buffer: no more data will be delivered, and {@link #reserveBlocking} returns CLOSED. */
    void end() {
        fanout.end();
        space.end();
    }

    @Override
    public void onReleased(long released) {
        if (hasWaited) {
            space.onReleased(released);
        }
    }

    @Override
    public void onJoined(long begun) {
        if (hasWaited) {
            space.onJoined(begun);
        }
    }

    @Override
    public boolean isNotified() {
        return space.hasCallback();
    }

    @Override
    public long awaited() {
        return space.awaited();
    }

    @Override
    public boolean usesCredit() {
        return fanout.options().flowControl();
    }

    @Override
    public long longestCoalesced(Start start) {
        // The cheaper condition is checked first, because the first call of a record's equals generates code.
        boolean old = fanout.options().keep() > 0 && !start.equals(Start.LIVE);
        return old && fanout.options().coalescing() && !log.separate()
                ? fanout.limits().highest()
                : 0;
    }

    @Override
    public boolean overwrites() {
        return !fanout.options().flowControl();
    }

    @Override
    public void onDrained() {
        onDrained.run();
        pages.drained();
    }

    OutputState state(int output) {
        return new OutputState(output, fanout.bufferId(), capacity, deliveredCount, log.visibleEnd(), refusedCount);
    }

    private long tryReserve(long length) {
        if (fanout.isEnded()) {
            return CLOSED;
        }
        if (credit.isUsedUp() && !credit.tryContinue()) {
            return NO_SPACE;
        }
        if (log.roomAtHand() <= open.count()) {
            reclaim();
        }
        if (open.isFull() || log.room() <= open.count() && !relieve(log.boundaryForRoom(open.count() + 1))) {
            return NO_RECORD;
        }
        if (open.isEmpty() && (credit.isUsedUp() || memory.isRewindDue(reserved))) {
            reclaim();
            if (freed == reserved) {
                pages.restart(reserved, log.end());
            }
        }
        long result = makeRoom(length);
        if (result < 0) {
            return result;
        }
        long position = reserved;
        open.add(position);
        reserved += length;
        return position;
    }

    /** Ensures that {@code length} more bytes can be reserved; returns 0, or the reason for the refusal. */
    private long makeRoom(long length) {
        if (reserved + length <= pages.claimedEnd()) {
            return 0;
        }
        if (!fits(length)) {
            reclaim();
        }
        if (!fits(length)) {
            long boundary = log.boundaryFor(reserved + length - memory.capacity());
            boolean relieved = fanout.relieve(boundary);
            reclaim();
            if (relieved && !waitsForOwn(length) && !fits(length)) {
                fanout.dropKept(boundary);
                reclaim();
            }
            if (!fits(length)) {
                return relieved || fanout.options().flowControl() ? NO_SPACE : WRITES_PENDING;
            }
        }
        pages.claim(reserved, reserved + length, freed + memory.capacity(), log.end());
        return 0;
    }

    private boolean fits(long length) {
        return reserved + length - freed <= memory.capacity();
    }

    /** Reclaims the memory that subscriptions have released; returns true if another record is available. */
    private boolean reclaim() {
        long openFloor = open.first(reserved);
        long firstKept = reports == null ? Long.MAX_VALUE : reports.reported();
        freed = Math.max(freed, log.reclaim(fanout.minNeeded(), firstKept, openFloor));
        return log.room() > open.count();
    }

    /**
     * Applies the slow rules of the readers that keep the records before a boundary, because the log is full; returns
     * true if another record is available.
     */
    private boolean relieve(long boundary) {
        boolean relieved = fanout.relieve(boundary);
        if (!reclaim() && relieved) {
            fanout.dropKept(boundary);
        }
        return reclaim();
    }

    private void await(long length, long refusal) throws InterruptedException {
        hasWaited = true;
        space.begin(worthWaking(length, refusal));
        try {
            fanout.onAwaited();
            if (!fanout.isEnded()) {
                space.park();
            }
        } finally {
            space.finish();
        }
        if (Thread.interrupted()) {
            throw new InterruptedException(
                    "interrupted while waiting for " + length + " bytes of buffer " + fanout.bufferId());
        }
    }

    /**
     * Returns the position at which to wake the waiter. Waking it for every transfer would cost a context switch each
     * time. The waiter is nevertheless woken as early as possible in three cases. If memory becomes free only when data
     * is consumed, the peer may need more data before it consumes the rest. If a subscription gives way to the
     * producer, it does so only up to the boundary that the refused attempt needs. If a connection lacks credit, the
     * buffer may already have space.
     */
    private long worthWaking(long length, long refusal) {
        lacksRecord = refusal == NO_RECORD;
        long needed = boundaryFor(length, refusal);
        if (fanout.options().resume() || fanout.anyYields() || credit.isRefused()) {
            return needed;
        }
        if (lacksRecord) {
            long now = passedPosition();
            return now + (log.end() - now + 1) / 2;
        }
        return Math.max(needed, log.end() - memory.capacity() + capacity - capacity / 2);
    }

    /** Returns the boundary that all readers must reach before a refused attempt can succeed. */
    private long boundaryFor(long length, long refusal) {
        return refusal == NO_RECORD
                ? log.boundaryForRoom(open.count() + 1)
                : log.boundaryFor(reserved + length - memory.capacity());
    }

    /**
     * Returns the log position that all readers have passed; -1 while the producer waits for a connection's credit. If
     * the log has no free record, returns the position up to which deliveries have been reported, because records are
     * reused only after their deliveries have been reported.
     */
    private long passedPosition() {
        if (credit.isMissing()) {
            return -1;
        }
        return lacksRecord && reports != null ? reports.reportedPosition() : fanout.minReleased();
    }

    private void checkMayWait(long length) {
        if (waitsForOwn(length) || open.isFull() || open.count() >= log.mostRoom()) {
            throw new IllegalStateException("bufferId=" + fanout.bufferId() + " length=" + length + " openReservations="
                    + open.count() + ": the call would wait for the caller's own open reservations");
        }
        if (inWorker.getAsBoolean()) {
            throw new IllegalStateException("bufferId=" + fanout.bufferId() + ": a worker must not block");
        }
    }

    /** Returns true if the producer's own open reservations occupy the space. */
    private boolean waitsForOwn(long length) {
        return reserved + length - capacity > open.first(Long.MAX_VALUE);
    }

    private void checkLength(long length) {
        if (length < 1 || length > capacity || length > CircularBuffer.MAX_RANGE) {
            throw new IllegalArgumentException("bufferId=" + fanout.bufferId() + " length=" + length
                    + " must be positive, and exceed neither capacity=" + capacity + " nor maximum="
                    + CircularBuffer.MAX_RANGE);
        }
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
