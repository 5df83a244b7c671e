package io.rocketbufs.out;

import io.rocketbufs.link.Sender;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What may be written into one remote buffer: how much has been sent, also of the transfer under way, and how much of
 * that the receiver has consumed.
 *
 * <p>The receiver tells that in messages and, where it has a {@link CreditWord}, there too; the higher position counts.
 *
 * <p><b>Thread-safety:</b> written under the {@link Sender}'s token, but {@link #onUpdate} by the connection's worker,
 * and {@link #onWord} by any thread; any thread reads positions. <b>Source:</b> RocketBufs 3.3.
 */
final class Credit {
    private final long capacity;
    private final boolean limited;
    private final long usual;
    private final boolean silentReports;

    private long transferStart;
    /** Consumed position that the receiver was last asked to report; it keeps one request at a time. */
    private long requested = Long.MIN_VALUE;
    /** Updates received at that time: one that answers an earlier request makes the receiver forget this one too. */
    private long requestedWith;

    private final AtomicLong sentPosition = new AtomicLong();
    /** Stream position that an update may claim at most; raised before a write is posted. */
    private final AtomicLong claimable = new AtomicLong();

    private final AtomicLong consumedPosition = new AtomicLong();
    /** What the last update said. */
    private long updatedPosition;

    private volatile long updateCount;

    /**
     * Begins with an empty remote buffer.
     *
     * @param limited false when writes need no credit
     * @param usual longest write for which the receiver can see by itself that there is no credit
     * @param silentReports true when the receiver's unsolicited reports wake no thread
     */
    Credit(long capacity, boolean limited, long usual, boolean silentReports) {
        this.usual = usual;
        this.silentReports = silentReports;
        this.capacity = capacity;
        this.limited = limited;
    }

    /**
     * Notes the receiver's message; returns false when the position is not its to claim. It may be older than what is
     * known from the word, but not than another message. Worker only.
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
     * Notes what the receiver has written into its word; returns false when the position is not its to claim. One that
     * is older than what is known changes nothing. Any thread, which must have read the word before it calls this.
     */
    boolean onWord(long position) {
        if (position > claimable.get()) {
            return false;
        }
        consumedPosition.accumulateAndGet(position, Math::max);
        return true;
    }

    /** Bytes that may be written now. */
    long available() {
        return limited ? capacity - (sentPosition() - consumedPosition.get()) : Long.MAX_VALUE;
    }

    /** Bytes written since the subscription began. */
    long sentPosition() {
        return sentPosition.get();
    }

    /** What the receiver has consumed of that. */
    long consumedPosition() {
        return consumedPosition.get();
    }

    /** Credit updates received. */
    long updateCount() {
        return updateCount;
    }

    /** Returns a number that changes whenever either side gets on. */
    long activity() {
        return sentPosition() + consumedPosition.get();
    }

    /** Where the next byte goes in the remote buffer. */
    long offset() {
        return sentPosition() % capacity;
    }

    /** The next write begins a transfer. */
    void beginTransfer() {
        transferStart = sentPosition();
    }

    /** Bytes of the transfer under way that have been written. */
    long transferSent() {
        return sentPosition() - transferStart;
    }

    /** Notes that {@code length} bytes are about to be written. */
    void claim(long length) {
        claimable.setRelease(Math.max(claimable.getPlain(), sentPosition() + length));
    }

    /** Notes that they have been written. */
    void sent(long length) {
        sentPosition.setRelease(sentPosition() + length);
    }

    /** Takes back the unfinished transfer, which the receiver will drop; returns how many bytes had been written. */
    long dropTransfer() {
        long dropped = transferSent();
        sentPosition.setRelease(transferStart);
        return dropped;
    }

    /**
     * The consumed position to ask for when credit for {@code needed} bytes is missing: where the receiver would report
     * by itself, or the first that suffices. Asking for little at a time would cost two messages for each transfer.
     *
     * <p>Never beyond what has been sent, which would be a breach: since credit was found to be missing, the receiver
     * may have reported that it has consumed more.
     */
    long wantedPosition(long needed) {
        long sent = sentPosition();
        long enough = sent + needed - capacity;
        return isReported(needed) ? Math.min(sent, Math.max(enough, consumedPosition() + capacity / 4)) : enough;
    }

    /**
     * True when the receiver reports by itself that there is credit for {@code needed} bytes.
     *
     * <p>It reports every quarter, so at most a quarter less one byte of what it has consumed stays unreported. It
     * consumes whole transfers; so a sender that needs more than three quarters for the transfer, the part that is
     * already sent included, could wait for ever. A need beyond the usual is asked for, too: a receiver that passes on
     * what it gets does not know otherwise that a subscription of its own must give way.
     */
    private boolean isReported(long needed) {
        return needed <= usual && transferSent() + needed <= capacity - capacity / 4;
    }

    /**
     * Returns true when the receiver has not been asked to report credit for {@code needed} bytes and must be: because
     * it does not report that by itself, or because its report wakes no thread.
     */
    boolean mustAsk(long needed) {
        boolean asked = requested == wantedPosition(needed) && requestedWith == updateCount;
        return (silentReports || !isReported(needed)) && !asked;
    }

    /**
     * The receiver has been asked to report a position.
     *
     * @param updates how many updates had come before; a later one may answer an earlier request
     */
    void asked(long wanted, long updates) {
        requested = wanted;
        requestedWith = updates;
    }
}
