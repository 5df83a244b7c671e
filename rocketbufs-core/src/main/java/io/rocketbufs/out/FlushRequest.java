package io.rocketbufs.out;

import io.rocketbufs.link.Sender;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;

/**
 * What one subscription asks its peer to report because the application waits until everything is consumed. The peer
 * keeps the lowest request only, and forgets it with the update that answers it; so the request is due again after each
 * update that falls short of it.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token, except for the target, which any thread may raise.
 */
final class FlushRequest {
    /** Log position up to which the application waits for consumption. */
    private volatile long target = -1;

    private long askedFor = -1;
    private long askedWith;

    synchronized void raise(long position) {
        target = Math.max(target, position);
    }

    /** True when the application waits for more than the log position {@code consumed}. */
    boolean isPending(long consumed) {
        return target > consumed;
    }

    /** Returns true when all that the application waits for lies before {@code position}, and was not asked for. */
    boolean isDue(long position, long updateCount) {
        return position >= target && (askedFor != target || askedWith != updateCount);
    }

    /** Asks for an update when everything sent is consumed; false when the transport takes nothing now. */
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
