package io.rocketbufs.delivery;

/**
 * What may be written into one remote buffer: how much has been sent, also of the transfer under way, and how much of
 * that the receiver has consumed.
 *
 * <p><b>Thread-safety:</b> written under the {@link Sender}'s token, but {@link #onUpdate} by the connection's worker;
 * positions are read by anybody. <b>Source:</b> RocketBufs 3.3.
 */
final class Credit {
    private final long capacity;
    private final boolean limited;
    private final long usual;

    private long transferStart;
    /** Consumed position that the receiver was last asked to report; it keeps one request at a time. */
    private long requested = Long.MIN_VALUE;
    /** Updates received at that time: one that answers an earlier request makes the receiver forget this one too. */
    private long requestedWith;

    private volatile long sentPosition;
    /** Stream position that an update may claim at most; raised before a write is posted. */
    private volatile long claimable;

    private volatile long consumedPosition;
    private volatile long updateCount;

    /**
     * Begins with an empty remote buffer.
     *
     * @param limited false for an overwriting buffer, which needs no credit
     * @param usual longest write for which the receiver can see by itself that there is no credit
     */
    Credit(long capacity, boolean limited, long usual) {
        this.usual = usual;
        this.capacity = capacity;
        this.limited = limited;
    }

    /** Takes note of the receiver's consumed position; false when that is not its to claim. Worker only. */
    boolean onUpdate(long position) {
        if (position < consumedPosition || position > claimable) {
            return false;
        }
        consumedPosition = position;
        updateCount++;
        return true;
    }

    /** Bytes that may be written now. */
    long available() {
        return limited ? capacity - (sentPosition - consumedPosition) : Long.MAX_VALUE;
    }

    /** Bytes written since the subscription began. */
    long sentPosition() {
        return sentPosition;
    }

    /** What the receiver has consumed of that. */
    long consumedPosition() {
        return consumedPosition;
    }

    /** Credit updates received. */
    long updateCount() {
        return updateCount;
    }

    /** A number that changes whenever either side gets on. */
    long progress() {
        return sentPosition + consumedPosition;
    }

    /** Where the next byte goes in the remote buffer. */
    long offset() {
        return sentPosition % capacity;
    }

    /** The next write begins a transfer. */
    void beginTransfer() {
        transferStart = sentPosition;
    }

    /** Bytes of the transfer under way that have been written. */
    long transferSent() {
        return sentPosition - transferStart;
    }

    /** That many bytes are about to be written. */
    void claim(long length) {
        claimable = Math.max(claimable, sentPosition + length);
    }

    /** They have been written. */
    void sent(long length) {
        sentPosition += length;
    }

    /** The receiver is going to throw away what it has of the unfinished transfer; tells how much that is. */
    long dropTransfer() {
        long dropped = transferSent();
        sentPosition = transferStart;
        return dropped;
    }

    /** The consumed position that gives credit for {@code needed} bytes. */
    long wantedPosition(long needed) {
        return sentPosition + needed - capacity;
    }

    /**
     * True when the receiver will not report by itself, and has not been asked to, that there is credit for
     * {@code needed} bytes.
     *
     * <p>It reports every quarter, so at most a quarter less one byte of what it has consumed stays unreported. It
     * consumes whole transfers; so who needs more than three quarters for the transfer, the part that is sent already
     * included, could wait for ever. And who needs more than usual is asked about too, for a receiver that passes on
     * what it gets does not know otherwise that somebody who holds that up should give way.
     */
    boolean mustAsk(long needed) {
        boolean asked = requested == wantedPosition(needed) && requestedWith == updateCount;
        return (needed > usual || transferSent() + needed > capacity - capacity / 4) && !asked;
    }

    /**
     * The receiver has been asked for it.
     *
     * @param updates how many updates had come before; a later one may answer an earlier request
     */
    void asked(long needed, long updates) {
        requested = wantedPosition(needed);
        requestedWith = updates;
    }
}
