package io.rocketbufs.delivery;

import io.rocketbufs.buffer.CircularBuffer;

/**
 * What a splice adds to an input buffer: what arrives is passed on, and consumed is what all subscriptions have passed.
 *
 * <p><b>Thread-safety:</b> the input's worker; {@link #consumedPosition()} is read by anybody. <b>Source:</b>
 * RocketBufs 3.4.
 */
final class Splice {
    private static final long RELIEVE_SPINS = 100_000;
    /** Records beyond those that a spliced buffer cannot do without. */
    private static final long SPARE_RECORDS = 64;
    /** The same where arrivals are kept apart as long as there are records. */
    private static final long SEPARATE_RECORDS = 4096;

    private final Fanout fanout;
    private final CircularBuffer memory;
    private final int transferLimit;
    private final DeliveryLog log;
    private final long base;

    /**
     * Begins to pass on.
     *
     * @param transferLimit longest transfer that arrives, unless it is a single delivery
     * @param base the input's position at which the log begins
     */
    Splice(Fanout fanout, int transferLimit, long base) {
        this.fanout = fanout;
        this.memory = fanout.memory();
        this.transferLimit = transferLimit;
        this.log = fanout.log();
        this.base = base;
    }

    /** A log for an input of that memory. */
    static DeliveryLog newLog(CircularBuffer memory, int transferLimit, boolean coalescing) {
        long more = coalescing ? 2 * SPARE_RECORDS : SEPARATE_RECORDS;
        return new DeliveryLog((int) Math.min(1 << 20, 4 * memory.capacity() / transferLimit + more), false);
    }

    Fanout fanout() {
        return fanout;
    }

    long consumedPosition() {
        return position(fanout.minReleased());
    }

    /** The input's position of a log position. */
    long position(long logPosition) {
        return base + logPosition;
    }

    /** Passes on a transfer that has arrived. */
    void append(long position, long length) {
        long spare = 2 * memory.capacity() / transferLimit + SPARE_RECORDS;
        if (log.roomAtHand() == 0 || log.room() <= spare) {
            log.reclaim(fanout.minReleased(), Long.MAX_VALUE, position);
        }
        boolean merge = fanout.options().coalescing() || log.room() <= spare;
        log.append(position, length, position, merge ? transferLimit : 0, null);
    }

    /** Under flow control: the sender cannot go on before {@code wanted} is consumed; policies decide. */
    void relieveSender(long wanted) {
        if (wanted > base && consumedPosition() < wanted) {
            fanout.relieve(log.boundaryFor(wanted));
        }
    }

    /** Overwriting: subscriptions must not stand in memory that is to be written, before {@code overwritten}. */
    void makeRoom(long overwritten) {
        if (overwritten <= base || consumedPosition() >= overwritten) {
            return;
        }
        long boundary = log.boundaryFor(overwritten);
        for (long i = 0; !fanout.relieve(boundary); i++) {
            if (i == RELIEVE_SPINS) {
                fanout.disconnectLaggards(boundary);
                return;
            }
            Thread.onSpinWait();
        }
    }
}
