package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Sender;
import io.rocketbufs.link.WriteOwner;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.wire.ControlMessages;

/**
 * The position of one subscription in its buffer's log, in the stream to its peer, in the memory that it still uses,
 * and in the transfer in progress.
 *
 * <p>The log position counts the buffer's deliveries. The stream position, which {@link Credit} stores, counts the
 * bytes written to the remote buffer since the subscription began, and determines the offset in that buffer. Both
 * positions advance equally except where data is skipped; {@link LeftOut} stores the difference.
 *
 * <p><b>Thread-safety:</b> used under the connection's token; any thread may read {@link #released()} and
 * {@link #consumed()}.
 */
final class StreamPosition {
    private final DeliveryLog log;
    private final DeliveryLog.Cursor cursor = new DeliveryLog.Cursor();
    private final Credit credit;
    private final ReleasedMemory memory;
    private final LeftOut leftOut = new LeftOut();
    private final SubscriptionMeters meters;
    private final Runnable onConsumed;
    private long start;
    private long live;
    /** Log position at which the transfer in progress ends; at or before the cursor when no transfer is in progress. */
    private long transferEnd;
    /** Number of skipped bytes that have not been reported to the peer. */
    private long untold;
    /** Number of bytes lost upstream that are included in {@link #untold} or have been reported. */
    private long gapsSeen;

    /**
     * Creates a position, which {@link #begin} must set before it is used.
     *
     * @param meters counts skipped data
     * @param onReleased run whenever memory is released
     * @param onConsumed run whenever skipped data may count as consumed
     */
    StreamPosition(
            DeliveryLog log, Credit credit, SubscriptionMeters meters, Runnable onReleased, Runnable onConsumed) {
        this.log = log;
        this.credit = credit;
        this.meters = meters;
        this.memory = new ReleasedMemory(onReleased);
        this.onConsumed = onConsumed;
    }

    /**
     * Starts at the given position. Data between the start reported to the peer and the first byte to be sent counts as
     * a gap.
     */
    void begin(Beginning beginning) {
        log.seek(cursor, beginning.position());
        transferEnd = cursor.position();
        memory.begin(cursor.position());
        leftOut.set(cursor.position(), credit);
        gapsSeen = log.gapsBefore(cursor.position(), 0);
        skipped(cursor.position() + gapsSeen - beginning.start());
        start = beginning.start();
        live = beginning.live();
    }

    /** Returns the position in the buffer's data that is reported to the peer as the start. */
    long start() {
        return start;
    }

    /**
     * Returns the position in the buffer's data that is reported to the peer as the end of the data that is older than
     * the subscription.
     */
    long live() {
        return live;
    }

    // Any thread.

    /** Returns the log position before which no memory is used. */
    long released() {
        return memory.position();
    }

    /** Returns the log position up to which the peer is known to have consumed data. */
    long consumed() {
        return leftOut.consumed(credit.consumedPosition());
    }

    /** Returns the stream position at which the peer has consumed everything before a log position. */
    long inStream(long logPosition) {
        return leftOut.streamPosition(logPosition);
    }

    // Under the token.

    /** Returns the log position of the next byte to be sent. */
    long position() {
        return cursor.position();
    }

    /** Returns the owner of the writes that use this subscription's memory. */
    WriteOwner memory() {
        return memory;
    }

    boolean isInFlight() {
        return memory.isInFlight();
    }

    /** Returns the number of bytes of the transfer in progress that have not been written. */
    long remaining() {
        return transferEnd - cursor.position();
    }

    boolean isBetweenTransfers() {
        return transferEnd <= cursor.position();
    }

    /** Returns true if part of the transfer in progress has been written. */
    boolean hasBegunTransfer() {
        return credit.transferSent() > 0;
    }

    /** Returns true if there is data to send before {@code end}. */
    boolean hasMore(long end) {
        boolean more = cursor.position() < end && log.hasMore(cursor);
        notePassed();
        return more;
    }

    /**
     * Plans a transfer of at most {@code limit} bytes, or of a single longer delivery; returns false if there is
     * nothing to send.
     */
    boolean planTransfer(long limit, boolean coalescing) {
        transferEnd = log.transferEnd(cursor, limit, coalescing);
        credit.beginTransfer();
        notePassed();
        return transferEnd > cursor.position();
    }

    /** Drops the planned transfer if none of it has been written, so that the next plan includes newer deliveries. */
    void replan() {
        if (!hasBegunTransfer()) {
            transferEnd = cursor.position();
        }
    }

    /** Returns the length of the next write into a remote buffer. Gathering may shorten the write. */
    long nextLength(Capabilities capabilities, long remoteCapacity) {
        long untilEnd = capabilities.receiverPlaces() ? Long.MAX_VALUE : remoteCapacity - credit.offset();
        return Math.min(untilEnd, Math.min(capabilities.longestWrite(), remaining()));
    }

    /**
     * Gathers the memory of the next {@code wanted} bytes; returns the number of bytes gathered, which is lower if
     * {@code into} is full.
     */
    long gather(long wanted, CircularBuffer from, Vecs into) {
        return log.gather(cursor, wanted, from, into);
    }

    /** Records that {@code length} bytes have been written. */
    void sent(long length) {
        credit.sent(length);
        log.advance(cursor, length);
    }

    /** Skips to a delivery boundary, or to the end of the transfer in progress, whichever is later. */
    void leaveOut(long target) {
        if (target <= cursor.position()) {
            return;
        }
        long boundary = target;
        if (hasBegunTransfer() && !isBetweenTransfers()) {
            // The peer drops the received part of the unfinished transfer when it reads the GAP.
            boundary = Math.max(boundary, transferEnd);
            skipped(credit.dropTransfer());
        }
        skipped(boundary - cursor.position());
        log.markLost(cursor.position(), boundary);
        log.seek(cursor, boundary);
        transferEnd = boundary;
        noteUpstreamGaps();
        notePassed();
    }

    /** Reports skipped data to the peer; returns false if the transport currently accepts nothing. */
    boolean tellGap(Sender sender, int tag) {
        if (isBetweenTransfers()) {
            noteUpstreamGaps();
        }
        if (untold > 0) {
            if (!sender.send(ControlMessages.gap(sender.scratch(), tag, credit.sentPosition(), untold))) {
                return false;
            }
            untold = 0;
        }
        return true;
    }

    /**
     * Returns true if data immediately before the next byte was lost or skipped and the peer has not been notified of
     * this.
     */
    boolean isBehindGap() {
        return untold > 0 || log.gapsBefore(cursor.position(), gapsSeen) != gapsSeen;
    }

    /** Adds data that was lost upstream and is therefore also missing from this stream. */
    private void noteUpstreamGaps() {
        long gaps = log.gapsBefore(cursor.position(), gapsSeen);
        skipped(gaps - gapsSeen);
        gapsSeen = gaps;
    }

    /** Counts skipped data immediately, because the connection may end before the peer can be notified. */
    private void skipped(long length) {
        if (length > 0) {
            untold += length;
            meters.lost(length);
        }
    }

    /** Records the data that the cursor has passed, including discarded data that is not sent. */
    private void notePassed() {
        memory.pass(cursor.position());
        if (leftOut.set(cursor.position() - credit.sentPosition(), credit)) {
            onConsumed.run();
        }
    }
}
