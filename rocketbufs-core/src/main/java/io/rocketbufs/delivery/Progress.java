package io.rocketbufs.delivery;

import io.rocketbufs.buffer.CircularBuffer;
import io.rocketbufs.memory.Vecs;

/**
 * Where one subscription stands: in the log, in the stream to its peer, in the memory that it still uses, and in the
 * transfer under way.
 *
 * <p>The log position says how much of the buffer's deliveries is behind it; the stream position, which its
 * {@link Credit} knows, counts the bytes written to the remote buffer since the subscription began, so it gives the
 * offset there. They move together except where data is left out.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token; {@link #released()} and {@link #consumed()} are read by
 * anybody.
 */
final class Progress {
    private final DeliveryLog log;
    private final DeliveryLog.Cursor cursor = new DeliveryLog.Cursor();
    private final Credit credit;
    private final LocalHold hold;
    private final LeftOut leftOut = new LeftOut();
    private final Runnable onConsumed;
    /** Log position where the transfer under way ends; not beyond the cursor when there is none. */
    private long transferEnd;

    /**
     * Stands nowhere yet.
     *
     * @param onReleased run whenever memory is not used any more
     * @param onConsumed run whenever what is left out counts as consumed
     */
    Progress(DeliveryLog log, Credit credit, Runnable onReleased, Runnable onConsumed) {
        this.log = log;
        this.credit = credit;
        this.hold = new LocalHold(onReleased);
        this.onConsumed = onConsumed;
    }

    /**
     * Stands where a place is held, or at the end of the log.
     *
     * @param from log position from which on data was held; {@link Long#MAX_VALUE} for none
     * @param position the first that is held still; {@link Long#MAX_VALUE} for none
     * @return bytes that are held no more
     */
    long join(long from, long position) {
        if (position == Long.MAX_VALUE) {
            log.seekEnd(cursor);
        } else {
            log.seek(cursor, position);
        }
        transferEnd = cursor.position();
        hold.begin(cursor.position());
        leftOut.set(cursor.position(), credit);
        return Math.max(0, cursor.position() - from);
    }

    LocalHold hold() {
        return hold;
    }

    /** Log position before which no memory is used any more. Any thread. */
    long released() {
        return hold.released();
    }

    /** Log position up to which the peer is known to have consumed. Any thread. */
    long consumed() {
        return leftOut.consumed(credit.consumedPosition());
    }

    /** Log position of the next byte to be sent. */
    long position() {
        return cursor.position();
    }

    /** Log position where the transfer under way ends. */
    long transferEnd() {
        return transferEnd;
    }

    boolean isBetweenTransfers() {
        return transferEnd <= cursor.position();
    }

    /** True when a part of the transfer under way has been written. */
    boolean hasBegunTransfer() {
        return credit.transferSent() > 0;
    }

    /** Bytes of the transfer under way, what has been written of it included. */
    long transferLength() {
        return credit.transferSent() + transferEnd - cursor.position();
    }

    /** True when something before {@code end} is to be sent. */
    boolean hasMore(long end) {
        boolean more = cursor.position() < end && log.hasMore(cursor);
        noteLeftOut();
        return more;
    }

    /** Plans a transfer of at most {@code limit} bytes, or of one delivery; false when there is nothing. */
    boolean planTransfer(long limit, boolean coalescing) {
        transferEnd = log.transferEnd(cursor, limit, coalescing);
        credit.beginTransfer();
        noteLeftOut();
        return transferEnd > cursor.position();
    }

    /** What gathers while a transfer waits to begin shall travel with it. */
    void planAnew() {
        if (!hasBegunTransfer()) {
            transferEnd = cursor.position();
        }
    }

    /** Gathers the memory from here on; bytes gathered, fewer than wanted when {@code into} is full. */
    long gather(long wanted, CircularBuffer memory, Vecs into) {
        return log.gather(cursor, wanted, memory, into);
    }

    /** That many bytes have been written. */
    void sent(long length) {
        credit.sent(length);
        log.advance(cursor, length);
    }

    /**
     * Goes on at a boundary, or at the end of the transfer under way, whichever is later.
     *
     * @return bytes that are left out thereby
     */
    long leaveOut(long target) {
        if (target <= cursor.position()) {
            return 0;
        }
        long boundary = target;
        long lost = 0;
        if (hasBegunTransfer() && !isBetweenTransfers()) {
            // The peer drops what it has of the unfinished transfer when it reads the GAP.
            boundary = Math.max(boundary, transferEnd);
            lost += credit.dropTransfer();
        }
        lost += boundary - cursor.position();
        log.markLost(cursor.position(), boundary);
        log.seek(cursor, boundary);
        transferEnd = boundary;
        noteLeftOut();
        return lost;
    }

    /** The cursor may stand behind something that is not sent: the log moves it past what is discarded. */
    private void noteLeftOut() {
        hold.pass(cursor.position());
        if (leftOut.set(cursor.position() - credit.sentPosition(), credit)) {
            onConsumed.run();
        }
    }
}
