package io.rocketbufs.out;

import io.rocketbufs.link.Sender;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;

/**
 * The requests by one subscription for its peer's reports of consumption. The application may wait for a flush, for
 * space that becomes free when data is consumed, or for the report itself. The lowest position is requested first,
 * because the peer may consume the data after it much later.
 *
 * <p>While the producer waits for space, requests are STARVING messages rather than FLUSH messages. A peer that passes
 * the data on then applies the slow rules of its own subscriptions. Requests for a flush are then also STARVING
 * messages: if the flush's position is requested first, the producer's position lies beyond it.
 *
 * <p>The peer stores only the lowest request, and drops it when it sends the update that answers it. A request is
 * therefore due again after each update that does not reach its position.
 *
 * <p><b>Thread-safety:</b> used under the {@link Sender}'s token, except for the positions, which any thread may raise.
 */
final class FlushRequest {
    /** A position that is at least as high as each of the following positions. */
    private volatile long target = -1;

    private volatile long forFlush = -1;
    private volatile long forSpace = -1;
    /** The position of a report that is requested for its own sake. */
    private volatile long forReport = -1;

    private long askedFor = -1;
    private long askedWith;
    private boolean askedForSpace;

    /** Raises the log position that a flush waits for. */
    synchronized void raise(long position) {
        forFlush = Math.max(forFlush, position);
        target = Math.max(target, position);
    }

    /**
     * Sets the log position that the producer waits for, unless the producer already waits for a lower position beyond
     * {@code consumed}. Returns true if the position has changed.
     */
    synchronized boolean awaitSpace(long position, long consumed) {
        if (position <= consumed || forSpace > consumed && forSpace <= position) {
            return false;
        }
        forSpace = position;
        target = Math.max(Math.max(forFlush, forReport), position);
        return true;
    }

    /**
     * Sets the log position of a report requested for its own sake, not for a flush or for space. Returns true under
     * the same condition as {@link #awaitSpace}.
     */
    synchronized boolean awaitReport(long position, long consumed) {
        if (position <= consumed || forReport > consumed && forReport <= position) {
            return false;
        }
        forReport = position;
        target = Math.max(target, position);
        return true;
    }

    /** Returns true if the application waits for consumption beyond the log position {@code consumed}. */
    boolean isPending(long consumed) {
        return target > consumed;
    }

    /**
     * Returns true if a request must be sent: everything before the next position has been sent, and that position has
     * not been requested since the last update. Requests are sent between transfers, because the peer consumes only
     * whole transfers.
     */
    boolean isDue(StreamPosition stream, Credit credit) {
        return stream.isBetweenTransfers() && isDue(stream, stream.consumed(), credit.updateCount());
    }

    private boolean isDue(StreamPosition stream, long consumed, long updateCount) {
        long next = next(consumed);
        boolean isNew = askedFor != next || askedWith != updateCount || !askedForSpace && isForSpace(consumed);
        return next > consumed && stream.position() >= next && isNew;
    }

    /** Returns true if the producer waits for consumption beyond the log position {@code consumed}. */
    private boolean isForSpace(long consumed) {
        return forSpace > consumed;
    }

    private long next(long consumed) {
        return sooner(forReport, sooner(forSpace, forFlush, consumed), consumed);
    }

    /** Returns the lower of the positions that lie beyond {@code consumed}; {@code second} if neither does. */
    private static long sooner(long first, long second, long consumed) {
        return first > consumed && (first < second || second <= consumed) ? first : second;
    }

    /**
     * Asks the peer to send an update when it has consumed all data before the next position; returns false if the
     * transport currently accepts nothing.
     */
    boolean ask(Sender sender, int tag, Credit credit, StreamPosition stream) {
        // Since the request became due, another thread may have raised the position, or received the report.
        long consumed = stream.consumed();
        long next = next(consumed);
        if (next <= consumed) {
            return true;
        }
        boolean space = isForSpace(consumed);
        long wanted = Math.min(next, stream.position());
        long updateCount = credit.updateCount();
        long asked = stream.inStream(wanted);
        ControlType type = space ? ControlType.STARVING : ControlType.FLUSH;
        if (!sender.send(ControlMessages.position(sender.scratch(), type, tag, asked))) {
            return false;
        }
        askedFor = wanted;
        askedWith = updateCount;
        askedForSpace = space;
        return true;
    }
}
