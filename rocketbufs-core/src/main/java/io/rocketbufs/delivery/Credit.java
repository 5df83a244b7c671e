package io.rocketbufs.delivery;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What may be written into one remote buffer: how much has been sent, also of the transfer under way, and how much of
 * that the receiver has consumed.
 *
 * <p>The receiver tells that in messages and, where it has a {@link CreditWord}, there too; the higher position counts.
 *
 * <p><b>Thread-safety:</b> written under the {@link Sender}'s token, but {@link #onUpdate} by the connection's worker,
 * and {@link #onWord} by anybody; positions are read by anybody. <b>Source:</b> RocketBufs 3.3.
 */
final class Credit {
    private final long capacity;
    private final boolean limited;
    private final long usual;
    private final boolean mute;

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
     * @param limited false for an overwriting buffer, which needs no credit
     * @param usual longest write for which the receiver can see by itself that there is no credit
     * @param mute true when what the receiver reports unasked wakes nobody
     */
    Credit(long capacity, boolean limited, long usual, boolean mute) {
        this.usual = usual;
        this.mute = mute;
        this.capacity = capacity;
        this.limited = limited;
    }

    /**
     * Takes note of the receiver's message; false when the position is not its to claim. It may be older than what is
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
     * Takes note of what the receiver has written into its word; false when the position is not its to claim. One that
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

    /** A number that changes whenever either side gets on. */
    long progress() {
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

    /** That many bytes are about to be written. */
    void claim(long length) {
        claimable.setRelease(Math.max(claimable.getPlain(), sentPosition() + length));
    }

    /** They have been written. */
    void sent(long length) {
        sentPosition.setRelease(sentPosition() + length);
    }

    /** The receiver is going to throw away what it has of the unfinished transfer; tells how much that is. */
    long dropTransfer() {
        long dropped = transferSent();
        sentPosition.setRelease(transferStart);
        return dropped;
    }

    /**
     * The consumed position to ask for when credit for {@code needed} bytes is missing: where the receiver would report
     * by itself, or the first that suffices. Asking for little at a time would cost two messages for each transfer.
     */
    long wantedPosition(long needed) {
        long enough = sentPosition() + needed - capacity;
        return isReported(needed) ? Math.max(enough, consumedPosition() + capacity / 4) : enough;
    }

    /**
     * True when the receiver reports by itself that there is credit for {@code needed} bytes.
     *
     * <p>It reports every quarter, so at most a quarter less one byte of what it has consumed stays unreported. It
     * consumes whole transfers; so who needs more than three quarters for the transfer, the part that is sent already
     * included, could wait for ever. And who needs more than usual is asked about too, for a receiver that passes on
     * what it gets does not know otherwise that somebody who holds that up should give way.
     */
    private boolean isReported(long needed) {
        return needed <= usual && transferSent() + needed <= capacity - capacity / 4;
    }

    /**
     * True when the receiver has not been asked to report credit for {@code needed} bytes, and has to be: because it
     * does not report that by itself, or because nobody would notice.
     */
    boolean mustAsk(long needed) {
        boolean asked = requested == wantedPosition(needed) && requestedWith == updateCount;
        return (mute || !isReported(needed)) && !asked;
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
