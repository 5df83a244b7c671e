package io.rocketbufs.in;

import io.rocketbufs.rocketnet.TransportException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The progress of the writes into one input buffer: bytes arrived, whole deliveries received, and bytes being
 * overwritten. Rejects writes that the sender is not allowed to make.
 *
 * <pre>
 *   0 ........ received ........... arrived ........ writing end
 *              whole deliveries     pieces           of an overwriting buffer: published before a write is stored
 * </pre>
 *
 * <p><b>Thread-safety:</b> written by the worker; any thread may read {@link #received()}, {@link #overwriteLimit()}
 * and the counters.
 */
final class Arrivals {
    private static final VarHandle RECEIVED;

    static {
        try {
            RECEIVED = MethodHandles.lookup().findVarHandle(Arrivals.class, "received", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final int NOT_BEGUN = -1;

    private final int bufferId;
    private final long capacity;
    private long arrived;
    /**
     * Length of the write in progress, which was checked when the transport asked where to place the write. Worker
     * only.
     */
    private int begun = NOT_BEGUN;
    /** Position up to which whole deliveries have arrived. Written by the worker with release semantics. */
    private long received;

    private volatile long writingEnd;
    /** For metrics only; other threads may see an older value. */
    private long transferCount;

    private volatile long lostLength;

    Arrivals(int bufferId, long capacity) {
        this.bufferId = bufferId;
        this.capacity = capacity;
    }

    /** Returns the position up to which pieces have arrived. Worker only. */
    long arrived() {
        return arrived;
    }

    /** Returns the position up to which whole deliveries have arrived. */
    long received() {
        return (long) RECEIVED.getAcquire(this);
    }

    /** Returns the position before which data may have been overwritten. */
    long overwriteLimit() {
        return Math.max(0, Math.max(writingEnd, received()) - capacity);
    }

    long transferCount() {
        return transferCount;
    }

    /** Returns the number of bytes that the sender has skipped. */
    long lostLength() {
        return lostLength;
    }

    /** Returns true if no transfer has been partly received or is being written. Worker only. */
    boolean isBetweenTransfers() {
        return arrived == received && begun == NOT_BEGUN;
    }

    /**
     * Returns true if everything has been consumed, and no transfer has been partly received or is being written.
     * Worker only.
     */
    boolean areConsumed(long consumedPosition) {
        return isBetweenTransfers() && consumedPosition == arrived;
    }

    /** Records that a write of this length has been checked, and that the transport knows where to place it. */
    void begin(int length) {
        begun = length;
    }

    /** Returns true if a write of this length has begun. */
    boolean hasBegun(int length) {
        return begun == length;
    }

    /**
     * Checks a write of {@code length} bytes.
     *
     * @param creditEnd position up to which the sender has credit; {@link Long#MAX_VALUE} if it needs no credit
     */
    void check(int length, long creditEnd) {
        if (length < 0) {
            throw violation("wrote a negative length=" + length);
        }
        long end = arrived + length;
        if (end > creditEnd) {
            throw violation(
                    "wrote " + length + " bytes at position " + arrived + " with credit for " + (creditEnd - arrived));
        }
        if (end - received > capacity) {
            throw violation("sent a transfer of " + (end - received) + " bytes, more than the capacity " + capacity);
        }
    }

    /** Publishes that the next {@code length} bytes are being overwritten, before they are written. */
    void overwrite(int length) {
        // Never moves backwards: pieces that a gap invalidates have already overwritten older data.
        if (arrived + length > writingEnd) {
            writingEnd = arrived + length;
            VarHandle.storeStoreFence();
        }
    }

    /** Records a piece of a transfer. */
    void add(int length) {
        begun = NOT_BEGUN;
        arrived += length;
    }

    /** Records that the pieces that have arrived form a whole transfer; returns its length. */
    long completeTransfer() {
        long whole = arrived - received;
        if (whole < 1) {
            throw violation("sent an empty transfer");
        }
        RECEIVED.setRelease(this, arrived);
        transferCount++;
        return whole;
    }

    /** Records that the sender has skipped data, and drops any pieces that have arrived beyond {@code position}. */
    void gap(long position, long lost) {
        if (position > arrived || position < received() || lost < 0) {
            throw violation("reported a gap at position " + position + ", which is invalid: lost=" + lost
                    + " receivedPosition=" + received() + " arrivedPosition=" + arrived);
        }
        arrived = position;
        lostLength += Math.min(lost, Long.MAX_VALUE - lostLength);
    }

    /** Checks the position for which the sender has requested a report of consumption. */
    void checkAsked(long position) {
        if (position < 0 || position > arrived) {
            throw violation("asked for a report of consumed position " + position
                    + ", which is not in the range 0 to arrivedPosition=" + arrived);
        }
    }

    /** Checks the position at which the sender ended the buffer gracefully. */
    void checkEnd(long position) {
        if (position != received()) {
            throw violation("ended at position " + position + " instead of receivedPosition=" + received());
        }
    }

    TransportException violation(String what) {
        return new TransportException(TransportException.Code.PROTOCOL, "sender of buffer " + bufferId + " " + what);
    }
}
