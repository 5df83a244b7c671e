package io.rocketbufs.out;

import io.rocketbufs.link.Sender;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;

/**
 * One subscription's request to its peer to report consumption, made while the application waits for a flush. The peer
 * stores only the lowest request, and drops it when it sends the update that answers it. The request is therefore due
 * again after each update that falls short of the target.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token, except for the target, which any thread may raise.
 */
final class FlushRequest {
    /** Log position up to which the application waits for data to be consumed. */
    private volatile long target = -1;

    private long askedFor = -1;
    private long askedWith;

    synchronized void raise(long position) {
        target = Math.max(target, position);
    }

    /** Returns true when the application waits for consumption beyond the log position {@code consumed}. */
    boolean isPending(long consumed) {
        return target > consumed;
    }

    /**
     * Returns true when the target lies at or before {@code position} and has not been requested since the last update.
     */
    boolean isDue(long position, long updateCount) {
        return position >= target && (askedFor != target || askedWith != updateCount);
    }

    /**
     * Asks the peer to send an update when it has consumed all data sent so far; returns false when the transport
     * currently accepts nothing.
     */
    boolean ask(Sender sender, int tag, Credit credit) {
        long wanted = target;
        long updateCount = credit.updateCount();
        if (!sender.send(ControlMessages.position(sender.scratch(), ControlType.FLUSH, tag, credit.sentPosition()))) {
            return false;
        }
        askedFor = wanted;
        askedWith = updateCount;
        return true;
    }
}
