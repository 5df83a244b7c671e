package io.rocketbufs.out;

import io.rocketbufs.link.Sender;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The credit for one remote buffer, determined by the sent position, which includes the transfer in progress, and the
 * receiver's consumed position.
 *
 * <p>The receiver reports its position in messages and, if the subscription has a {@link CreditWord}, also in that
 * word; the higher position applies.
 *
 * <p><b>Thread-safety:</b> written under the {@link Sender}'s token, except that the connection's worker calls
 * {@link #onUpdate} and any thread may call {@link #onWord}. Any thread may read positions. <b>Source:</b> RocketBufs
 * 3.3.
 */
final class Credit {
    /**
     * Number of waits to announce to the receiver after each call of {@link #ask} with {@code anyway}. A receiver that
     * sends more reports than this between two ticks consumes each quarter of its buffer so fast that its producer does
     * not count as delayed.
     */
    private static final int ASK_COUNT = 5;

    private final long memoryLength;
    private final long capacity;
    private final boolean limited;
    private final long usual;
    private final boolean silentReports;

    private long transferStart;
    /**
     * The sent position modulo the memory's length, stored because a division would cost as much as the rest of a
     * write.
     */
    private long offset;
    /**
     * The consumed position that the receiver was last asked to report. The receiver stores only one request at a time.
     */
    private long requested = Long.MIN_VALUE;
    /**
     * Number of updates that had been received when that request was made. A receiver that answers an earlier request
     * also drops this one.
     */
    private long requestedWith;
    /** Number of further waits to announce to the receiver, even if it would report without being asked. */
    private int asksLeft;

    private final AtomicLong sentPosition = new AtomicLong();
    /** Highest consumed position that the receiver may report; raised before a write is posted. */
    private final AtomicLong claimable = new AtomicLong();

    private final AtomicLong consumedPosition = new AtomicLong();
    /** Consumed position reported in the receiver's last message. */
    private long updatedPosition;

    private volatile long updateCount;

    /**
     * Creates the credit for an empty remote buffer.
     *
     * @param memoryLength length of the remote memory
     * @param capacity maximum number of unconsumed bytes in the remote buffer
     * @param limited false if writes need no credit
     * @param usual usual length of a transfer; for a longer transfer, the sender must request missing credit, because
     *     the receiver cannot detect that credit is missing
     * @param silentReports true if the receiver's unsolicited reports wake no thread
     */
    Credit(long memoryLength, long capacity, boolean limited, long usual, boolean silentReports) {
        this.usual = usual;
        this.silentReports = silentReports;
        this.memoryLength = memoryLength;
        this.capacity = capacity;
        this.limited = limited;
    }

    /**
     * Called when a message from the receiver has reported its consumed position. Returns false if the receiver cannot
     * have consumed all data before the position, or has already reported a higher position in a message. The position
     * may be lower than the one in the word. Worker only.
     */
    boolean onUpdate(long position) {
        if (position < updatedPosition || position > claimable.get()) {
            return false;
        }
        updatedPosition = position;
        consumedPosition.accumulateAndGet(position, Math::max);
        updateCount++;
        return true;
    }

    /**
     * Called when the receiver has written a position into the word. Returns false if the receiver cannot have consumed
     * all data before the position. A position lower than the known position has no effect. Any thread may call this
     * method after reading the word.
     */
    boolean onWord(long position) {
        if (position > claimable.get()) {
            return false;
        }
        consumedPosition.accumulateAndGet(position, Math::max);
        return true;
    }

    /** Returns the number of bytes that may be written now. */
    long available() {
        return limited ? capacity - (sentPosition() - consumedPosition.get()) : Long.MAX_VALUE;
    }

    /** Returns the number of bytes written since the subscription began. */
    long sentPosition() {
        return sentPosition.get();
    }

    /** Returns the position up to which the receiver has consumed data. */
    long consumedPosition() {
        return consumedPosition.get();
    }

    /** Returns the number of credit updates received. */
    long updateCount() {
        return updateCount;
    }

    /** Returns a number that changes whenever either side makes progress. */
    long activity() {
        return sentPosition() + consumedPosition.get();
    }

    /** Returns the offset of the next byte in the remote buffer. */
    long offset() {
        return offset;
    }

    /** Begins a transfer with the next write. */
    void beginTransfer() {
        transferStart = sentPosition();
    }

    /** Returns the number of bytes of the transfer in progress that have been written. */
    long transferSent() {
        return sentPosition() - transferStart;
    }

    /** Records that {@code length} bytes are about to be written. */
    void claim(long length) {
        claimable.setRelease(Math.max(claimable.getPlain(), sentPosition() + length));
    }

    /** Records that {@code length} bytes, at most the capacity, have been written. */
    void sent(long length) {
        sentPosition.setRelease(sentPosition() + length);
        offset += length;
        offset -= offset < memoryLength ? 0 : memoryLength;
    }

    /**
     * Cancels the unfinished transfer, whose received part the receiver will drop. Returns the number of bytes of the
     * transfer that have been written.
     */
    long dropTransfer() {
        long dropped = transferSent();
        sentPosition.setRelease(transferStart);
        // A receiver consumes only whole transfers, so it cannot have consumed any of this one.
        claimable.setRelease(transferStart);
        offset = transferStart % memoryLength;
        return dropped;
    }

    /**
     * Returns the consumed position to request when credit for {@code needed} bytes is missing. This is the first
     * position that suffices or, if the receiver sends an unsolicited report for a higher position next, the position
     * of that report. Always requesting the first position that suffices would cost two messages for each transfer.
     *
     * <p>The result never exceeds the sent position, because requesting more would violate the protocol. Without this
     * limit, the result could exceed the sent position if the receiver has reported further consumption since credit
     * was found to be missing.
     */
    long wantedPosition(long needed) {
        long sent = sentPosition();
        long enough = sent + needed - capacity;
        return isReported(needed) ? Math.min(sent, Math.max(enough, consumedPosition() + capacity / 4)) : enough;
    }

    /**
     * Returns true if the receiver reports credit for {@code needed} bytes without being asked.
     *
     * <p>The receiver reports after every quarter of its capacity, so up to a quarter less one byte of consumed data
     * remains unreported. It consumes only whole transfers. A sender that needs more than three quarters of the
     * capacity for a transfer, including the part already sent, could therefore wait forever if it sent no request. The
     * sender also requests credit for more than the usual length. Otherwise, a receiver that passes the data on would
     * not know that one of its own subscriptions must release memory.
     */
    private boolean isReported(long needed) {
        return needed <= usual && transferSent() + needed <= capacity - capacity / 4;
    }

    /**
     * Returns true if the receiver must be asked to report credit for {@code needed} bytes. This is the case if it has
     * not been asked yet, and would send no report without a request, or only a report that wakes no thread.
     */
    boolean mustAsk(long needed) {
        return (silentReports || !isReported(needed)) && !hasAsked(needed);
    }

    /** Returns true if the receiver has been asked to report credit for {@code needed} bytes, and has not answered. */
    boolean hasAsked(long needed) {
        return requested == wantedPosition(needed) && requestedWith == updateCount;
    }

    /**
     * Asks the receiver to report credit for {@code needed} bytes if that is necessary; returns false if the transport
     * currently accepts nothing.
     *
     * @param anyway true to ask even for a report that the receiver would send unasked, now and for the next waits
     */
    boolean ask(Sender sender, int tag, long needed, boolean anyway) {
        // Read first: a later update may answer an earlier request.
        long updates = updateCount;
        asksLeft = anyway ? ASK_COUNT : asksLeft;
        if (asksLeft > 0 ? hasAsked(needed) : !mustAsk(needed)) {
            return true;
        }
        long wanted = wantedPosition(needed);
        if (!sender.send(ControlMessages.position(sender.scratch(), ControlType.STARVING, tag, wanted))) {
            return false;
        }
        asked(wanted, updates);
        asksLeft = Math.max(0, asksLeft - 1);
        return true;
    }

    /**
     * Records that the receiver has been asked to report a position.
     *
     * @param updates number of updates received before the request
     */
    void asked(long wanted, long updates) {
        requested = wanted;
        requestedWith = updates;
    }
}
