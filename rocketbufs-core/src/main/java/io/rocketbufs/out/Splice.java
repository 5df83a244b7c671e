package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.in.InputBuffer;
import io.rocketbufs.in.Outlet;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.Start;

/**
 * An output buffer that shares the memory of an input buffer: arriving data is passed on from the same memory, and data
 * that all subscriptions have passed counts as consumed.
 *
 * <p>Writes into the input must respect its credit, because nothing else protects memory from which a subscription is
 * still sending. A buffer whose sender overwrites can therefore be spliced only if the subscription to it requires flow
 * control. The sender then skips data for which it has no credit and reports the gap. The gap is passed on to every
 * subscription at the same position.
 *
 * <p><b>Thread-safety:</b> used by the input's worker; any thread may read {@link #consumedPosition()}.
 * <b>Ownership:</b> keeps the input's memory until the last subscription has ended. <b>Source:</b> RocketBufs 3.4.
 * Refusing overwriting buffers is an addition: if the sender places the data, as over RDMA, it overwrites memory before
 * the receiver is notified.
 */
final class Splice implements Outlet, FanoutOwner {
    /** Number of spare records, beyond those that a spliced buffer needs. */
    private static final int SPARE_RECORDS = 64;
    /** Maximum number of records, and therefore of arrivals that are not merged. */
    private static final long MAX_RECORDS = 1 << 20;

    private final InputBuffer input;
    private final Fanout fanout;
    private final CircularBuffer memory;
    private final DeliveryLog log;
    /** Number of records that must stay free, because it may be impossible to merge the next arrivals. */
    private final long spareRecords;
    /** Maximum length of a merged record, so that the available records suffice for the memory. */
    private final long longestMerged;

    private final Runnable onDrained;
    /** Input position at which the log begins. */
    private volatile long base;

    /**
     * Prepares a splice; {@link InputBuffer#goOnTo} must be called next.
     *
     * @param options the buffer's options; their flow control is assumed to match the input's until the input's sender
     *     has accepted the subscription
     */
    Splice(InputBuffer input, int bufferId, BufferOptions options, Runnable onDrained) {
        if (input.isSubscribed() && input.isOverwriting()) {
            throw new IllegalStateException("bufferId=" + input.bufferId() + " " + overwrites(input));
        }
        if (options.keep() > input.keep()) {
            throw new IllegalArgumentException("bufferId=" + input.bufferId() + " keep=" + options.keep()
                    + " exceeds keep=" + input.keep()
                    + " of its input: subscribe with SubscribeOptions.withKeep(" + options.keep() + ")");
        }
        if (options.resume()) {
            throw new IllegalArgumentException("bufferId=" + input.bufferId()
                    + " is spliced, so its memory depends on its sender's credit: resume applies only to buffers that"
                    + " the application fills; use keep");
        }
        this.input = input;
        this.memory = input.memory();
        this.onDrained = onDrained;
        long enough = 4 * memory.capacity() / (MAX_RECORDS - 2 * SPARE_RECORDS) + 1;
        this.longestMerged = Math.max(input.transferLimit(), enough);
        this.spareRecords = 2 * memory.capacity() / longestMerged + SPARE_RECORDS;
        this.log = new DeliveryLog(recordCount(options.coalescing()), false);
        BufferOptions own = input.isSubscribed() ? options.withFlowControl(!input.isLossy()) : options;
        this.fanout = new Fanout(bufferId, memory, log, own, this, null);
    }

    /**
     * Returns the number of records that the log needs. Without coalescing, each byte in the memory may be a separate
     * delivery.
     */
    private int recordCount(boolean coalescing) {
        long most = memory.capacity() / (coalescing ? 64 : 1);
        return (int) Math.min(MAX_RECORDS, 4 * memory.capacity() / longestMerged + 2 * SPARE_RECORDS + most);
    }

    private static String overwrites(InputBuffer input) {
        return "is overwritten by " + input.link().peer() + " regardless of credit, so it cannot be spliced:"
                + " subscribe with SubscribeOptions.withFlowControl(true)";
    }

    Fanout fanout() {
        return fanout;
    }

    @Override
    public String refusalOf(boolean overwriting, boolean lossy) {
        if (overwriting) {
            return overwrites(input);
        }
        if (fanout.options().flowControl() == lossy) {
            return "has flow control " + (lossy ? "off" : "on") + ", unlike its splice";
        }
        return null;
    }

    @Override
    public void begin(long position) {
        base = position;
    }

    @Override
    public void arrived(long position, long length) {
        if (log.roomAtHand() == 0 || log.room() <= spareRecords) {
            log.reclaim(fanout.minNeeded(), Long.MAX_VALUE, position);
            if (log.room() < SPARE_RECORDS) {
                // Deliveries with gaps between them are not merged.
                fanout.dropKept(log.boundaryForRoom(2 * SPARE_RECORDS));
                log.reclaim(fanout.minNeeded(), Long.MAX_VALUE, position);
            }
        }
        log.append(position, length, position, mergeLimit(log.room() <= spareRecords), null);
    }

    /**
     * Returns the merge limit. It depends only on the current subscriptions: a subscription that joins later must
     * accept transfers of {@link #longestMerged} bytes.
     */
    private long mergeLimit(boolean recordsRunShort) {
        if (recordsRunShort) {
            return longestMerged;
        }
        return fanout.options().coalescing() ? Math.min(input.transferLimit(), fanout.mergeLimit()) : 0;
    }

    @Override
    public void gap(long lost) {
        log.appendGap(lost);
    }

    @Override
    public void announce() {
        fanout.announce();
    }

    @Override
    public void send() {
        fanout.send();
        if (fanout.isUnwanted()) {
            onReleased(Long.MAX_VALUE);
        }
    }

    @Override
    public void spaceWanted(long position) {
        if (position > base && consumedPosition() < position) {
            fanout.relieve(log.boundaryFor(position));
            if (isWaiting()) {
                SlowWatch.onProducerWaits(fanout);
            }
        }
    }

    @Override
    public void end() {
        fanout.end();
    }

    @Override
    public long consumedPosition() {
        return base + fanout.minReleased();
    }

    @Override
    public long awaited() {
        return 0;
    }

    @Override
    public boolean isNotified() {
        return true;
    }

    @Override
    public void onJoined(long begun) {
        // The input's sender waits, and will ask again.
    }

    @Override
    public long keep(BufferOptions options) {
        return input.keep();
    }

    @Override
    public boolean isWaiting() {
        return input.senderWait().isWaiting();
    }

    @Override
    public long waitCount() {
        return input.senderWait().count();
    }

    @Override
    public boolean overwrites() {
        return false;
    }

    @Override
    public long longestCoalesced(Start start) {
        return longestMerged;
    }

    @Override
    public void onReleased(long released) {
        input.outletConsumed(released == Long.MAX_VALUE ? Long.MAX_VALUE : base + released);
    }

    @Override
    public void onDrained() {
        onDrained.run();
        input.releaseOutlet();
    }
}
