package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.in.InputBuffer;
import io.rocketbufs.in.Outlet;
import io.rocketbufs.options.BufferOptions;

/**
 * An output buffer that shares the memory of an input buffer: what arrives there is passed on from where it lies, and
 * consumed is what all subscriptions have passed.
 *
 * <p>Writes into the input must keep to its credit, for nothing else protects memory that a subscription still sends
 * from. So a buffer whose sender overwrites can only be spliced when it was subscribed to with a demand for flow
 * control: then the sender leaves out what there is no credit for, and reports the gap, which goes on to every
 * subscription in its place.
 *
 * <p><b>Thread-safety:</b> the input's worker; any thread reads {@link #consumedPosition()}. <b>Ownership:</b> holds
 * the input's memory until the last subscription has left. <b>Source:</b> RocketBufs 3.4. That overwriting buffers are
 * not spliced is ours: a transport that places remotely overwrites before the receiver knows of it.
 */
final class Splice implements Outlet, FanoutOwner {
    /** Records beyond those that a spliced buffer cannot do without. */
    private static final long SPARE_RECORDS = 64;
    /** Arrivals that can be kept apart. */
    private static final long MAX_RECORDS = 1 << 20;

    private final InputBuffer input;
    private final Fanout fanout;
    private final CircularBuffer memory;
    private final DeliveryLog log;
    private final Runnable onDrained;
    /** The input's position at which the log begins. */
    private volatile long base;

    /**
     * Prepares to pass on; {@link InputBuffer#goOnTo} follows.
     *
     * @param options of which the flow control stands for the input's as long as its sender has not agreed
     */
    Splice(InputBuffer input, int bufferId, BufferOptions options, Runnable onDrained) {
        if (input.isSubscribed() && input.isOverwriting()) {
            throw new IllegalStateException("bufferId=" + input.bufferId() + " " + overwrites(input));
        }
        this.input = input;
        this.memory = input.memory();
        this.onDrained = onDrained;
        this.log = new DeliveryLog(recordCount(options.coalescing()), false);
        BufferOptions own = input.isSubscribed() ? options.withFlowControl(!input.isLossy()) : options;
        this.fanout = new Fanout(bufferId, memory, log, own, this, null);
    }

    /** Without coalescing, each byte that the memory holds may be a delivery of its own. */
    private int recordCount(boolean coalescing) {
        long most = memory.capacity() / (coalescing ? 64 : 1);
        return (int) Math.min(MAX_RECORDS, 4 * memory.capacity() / input.transferLimit() + 2 * SPARE_RECORDS + most);
    }

    private static String overwrites(InputBuffer input) {
        return "is overwritten by " + input.link().peer() + " without regard to credit, so it cannot be spliced:"
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
            return "has flow control " + (lossy ? "off" : "on") + ", other than its splice";
        }
        return null;
    }

    @Override
    public void begin(long position) {
        base = position;
    }

    @Override
    public void arrived(long position, long length) {
        long spare = 2 * memory.capacity() / input.transferLimit() + SPARE_RECORDS;
        if (log.roomAtHand() == 0 || log.room() <= spare) {
            log.reclaim(fanout.minReleased(), Long.MAX_VALUE, position);
        }
        log.append(position, length, position, mergeLimit(log.room() <= spare), null);
    }

    /** A subscription whose limit is not known yet reads what is merged after it has entered. */
    private long mergeLimit(boolean recordsRunShort) {
        if (recordsRunShort) {
            return input.transferLimit();
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
    public boolean overwrites() {
        return false;
    }

    @Override
    public long longestCoalesced() {
        return input.transferLimit();
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
