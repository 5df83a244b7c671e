package io.rocketbufs.out;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.WriteOwner;
import io.rocketbufs.memory.Vecs;

/**
 * Where one subscription stands: in its buffer's log, in the stream to its peer, in the memory that it still uses, and
 * in the transfer under way.
 *
 * <p>The log position counts the buffer's deliveries; the stream position, which {@link Credit} knows, counts the bytes
 * written to the remote buffer since the subscription began, so it gives the offset there. They move together except
 * where data is left out: {@link LeftOut} keeps the difference.
 *
 * <p><b>Thread-safety:</b> under the connection's token; any thread reads {@link #released()} and {@link #consumed()}.
 */
final class StreamPosition {
    private final DeliveryLog log;
    private final DeliveryLog.Cursor cursor = new DeliveryLog.Cursor();
    private final Credit credit;
    private final ReleasedMemory memory;
    private final LeftOut leftOut = new LeftOut();
    private final Runnable onConsumed;
    /** Log position where the transfer under way ends; not beyond the cursor when there is none. */
    private long transferEnd;
    /** Bytes left out that the peer has not been told of. */
    private long untold;
    /** Bytes lost upstream that are counted in {@link #untold} or told. */
    private long gapsSeen;

    /**
     * Stands nowhere yet.
     *
     * @param onReleased run whenever memory is not used any more
     * @param onConsumed run whenever what is left out counts as consumed
     */
    StreamPosition(DeliveryLog log, Credit credit, Runnable onReleased, Runnable onConsumed) {
        this.log = log;
        this.credit = credit;
        this.memory = new ReleasedMemory(onReleased);
        this.onConsumed = onConsumed;
    }

    /**
     * Begins where data was kept, or at the end of the log.
     *
     * @param from log position from which on data was kept; {@link Long#MAX_VALUE} for none
     * @param position the first that is still kept; {@link Long#MAX_VALUE} for none
     * @param gapsBefore bytes lost upstream before {@code from}
     */
    void begin(long from, long position, long gapsBefore) {
        if (position == Long.MAX_VALUE) {
            log.seekEnd(cursor);
        } else {
            log.seek(cursor, position);
        }
        transferEnd = cursor.position();
        memory.begin(cursor.position());
        leftOut.set(cursor.position(), credit);
        gapsSeen = from == Long.MAX_VALUE ? log.gapsBefore(cursor.position()) : gapsBefore;
        untold = Math.max(0, cursor.position() - from);
    }

    // Any thread.

    /** Returns the log position before which no memory is used. */
    long released() {
        return memory.position();
    }

    /** Returns the log position up to which the peer is known to have consumed. */
    long consumed() {
        return leftOut.consumed(credit.consumedPosition());
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

    /** Returns the bytes of the transfer under way that are still to be written. */
    long remaining() {
        return transferEnd - cursor.position();
    }

    boolean isBetweenTransfers() {
        return transferEnd <= cursor.position();
    }

    /** Returns true when a part of the transfer under way has been written. */
    boolean hasBegunTransfer() {
        return credit.transferSent() > 0;
    }

    /** Returns true when there is something to send before {@code end}. */
    boolean hasMore(long end) {
        boolean more = cursor.position() < end && log.hasMore(cursor);
        notePassed();
        return more;
    }

    /** Plans a transfer of at most {@code limit} bytes, or of one delivery; returns false when there is nothing. */
    boolean planTransfer(long limit, boolean coalescing) {
        transferEnd = log.transferEnd(cursor, limit, coalescing);
        credit.beginTransfer();
        notePassed();
        return transferEnd > cursor.position();
    }

    /** Forgets a plan that nothing was written of, so that what gathers meanwhile travels with it. */
    void planAnew() {
        if (!hasBegunTransfer()) {
            transferEnd = cursor.position();
        }
    }

    /** Gathers the memory from here on; returns the bytes gathered, fewer than wanted when {@code into} is full. */
    long gather(long wanted, CircularBuffer from, Vecs into) {
        return log.gather(cursor, wanted, from, into);
    }

    /** Notes that {@code length} bytes have been written. */
    void sent(long length) {
        credit.sent(length);
        log.advance(cursor, length);
    }

    /** Goes on at a boundary, or at the end of the transfer under way, whichever is later. */
    void leaveOut(long target) {
        if (target <= cursor.position()) {
            return;
        }
        long boundary = target;
        if (hasBegunTransfer() && !isBetweenTransfers()) {
            // The peer drops what it has of the unfinished transfer when it reads the GAP.
            boundary = Math.max(boundary, transferEnd);
            untold += credit.dropTransfer();
        }
        untold += boundary - cursor.position();
        log.markLost(cursor.position(), boundary);
        log.seek(cursor, boundary);
        transferEnd = boundary;
        noteUpstreamGaps();
        notePassed();
    }

    /** Returns the bytes left out before this position that the peer has not been told of. */
    long untold() {
        if (isBetweenTransfers()) {
            noteUpstreamGaps();
        }
        return untold;
    }

    /** Notes that the peer has been told of all of {@link #untold()}. */
    void told() {
        untold = 0;
    }

    /** Returns true when something is lost right before the next byte, or was left out, and the peer does not know. */
    boolean isBehindGap() {
        return untold > 0 || log.gapsBefore(cursor.position()) != gapsSeen;
    }

    /** What was lost before it came into the log is missing here too. */
    private void noteUpstreamGaps() {
        long gaps = log.gapsBefore(cursor.position());
        untold += gaps - gapsSeen;
        gapsSeen = gaps;
    }

    /** The cursor may stand behind something that is not sent: the log moves it past what is discarded. */
    private void notePassed() {
        memory.pass(cursor.position());
        if (leftOut.set(cursor.position() - credit.sentPosition(), credit)) {
            onConsumed.run();
        }
    }
}
