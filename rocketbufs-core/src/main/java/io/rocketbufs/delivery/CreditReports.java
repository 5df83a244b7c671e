package io.rocketbufs.delivery;

import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.wire.ControlType;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the sender of one input buffer is told of the consumed position, and when: at every quarter of the capacity, and
 * when it has asked and what it asked for is reached.
 *
 * <p>An answer is a CREDIT message, which wakes the sender. What is reported unasked goes into the sender's word, if it
 * has lent one: that costs its processor nothing, and it looks there before it waits.
 *
 * <p><b>Thread-safety:</b> reports go out under the {@link Sender}'s token; anybody may ask and look. <b>Source:</b>
 * RocketBufs 3.3.
 */
final class CreditReports {
    private final int tag;
    private final long quarter;
    /** Lowest position that the sender asked to hear of. */
    private final AtomicLong requested = new AtomicLong(Long.MAX_VALUE);

    private volatile long reportedPosition;
    private volatile long count;

    // Under the token, once the sender has agreed.
    private RemoteAccess word = RemoteAccess.NONE;
    /** The report that is to be made answers the sender; stays so until the transport has taken it. */
    private boolean answering;

    CreditReports(int tag, long capacity) {
        this.tag = tag;
        this.quarter = Math.max(1, capacity / 4);
    }

    /** The sender has lent a word, or NONE; before the first report. */
    void into(RemoteAccess lent) {
        word = lent;
    }

    /** The consumed position that the sender knows, or is about to know. */
    long reportedPosition() {
        return reportedPosition;
    }

    /** Reports made. */
    long count() {
        return count;
    }

    /** The sender wants to know when {@code position} is consumed. */
    void request(long position) {
        requested.accumulateAndGet(position, Math::min);
    }

    /** The consumed position that is reported unasked. */
    long nextQuarter() {
        return reportedPosition + quarter;
    }

    /** The consumed position from which on a report is due. */
    long next() {
        return Math.min(nextQuarter(), requested.get());
    }

    /** Reports what is consumed now; false when the transport takes nothing. */
    boolean report(Sender sender, long consumedPosition) {
        // Not less than before: a subscriber that enters a splice just now may hold it back for a moment.
        long consumed = Math.max(reportedPosition, consumedPosition);
        long wanted = requested.get();
        if (wanted <= consumed) {
            // Before the report is sent: the peer may read it, and ask again, before send() returns.
            requested.compareAndSet(wanted, Long.MAX_VALUE);
            answering = true;
        }
        reportedPosition = consumed;
        if (!tell(sender, consumed)) {
            return false;
        }
        answering = false;
        count++;
        return true;
    }

    private boolean tell(Sender sender, long consumed) {
        return answering || word.equals(RemoteAccess.NONE)
                ? sender.send(ControlType.CREDIT, tag, consumed)
                : sender.writeWord(word, consumed);
    }
}
