package io.rocketbufs.in;

import io.rocketbufs.link.Sender;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The reports of one input buffer's consumed position to its sender: at every quarter of the capacity, and when what
 * the sender asked for is reached.
 *
 * <p>An answer is a CREDIT message, which wakes the sender. An unsolicited report goes into the sender's word, if it
 * has lent one: that costs its processor nothing, and it looks there before it waits.
 *
 * <p><b>Thread-safety:</b> reports go out under the {@link Sender}'s token; any thread asks and looks. <b>Source:</b>
 * RocketBufs 3.3.
 */
final class CreditReports {
    private final int tag;
    private final long quarter;
    /** Lowest position that the sender asked about. */
    private final AtomicLong requested = new AtomicLong(Long.MAX_VALUE);

    private volatile long reportedPosition;
    private volatile long count;

    // Under the token, once the sender has agreed.
    private RemoteAccess word = RemoteAccess.NONE;
    /** The next report answers the sender; stays set until the transport has taken it. */
    private boolean answering;
    /** The transport has not taken the last report yet. */
    private boolean unsent;

    CreditReports(int tag, long capacity) {
        this.tag = tag;
        this.quarter = Math.max(1, capacity / 4);
    }

    /** Sets the word that the sender has lent, or NONE; before the first report. */
    void into(RemoteAccess lent) {
        word = lent;
    }

    /** Returns the consumed position that the sender knows, or is about to know. */
    long reportedPosition() {
        return reportedPosition;
    }

    /** Returns the number of reports made. */
    long count() {
        return count;
    }

    /** Notes that the sender wants to know when {@code position} is consumed. */
    void request(long position) {
        requested.accumulateAndGet(position, Math::min);
    }

    /** Returns the consumed position that is reported unasked. */
    long nextQuarter() {
        return reportedPosition + quarter;
    }

    /** Returns the consumed position from which on a report is due. */
    long next() {
        return Math.min(nextQuarter(), requested.get());
    }

    /** Returns true when a report must be sent now that everything before a position is consumed. */
    boolean isDue(long consumedPosition) {
        return unsent || consumedPosition >= next();
    }

    /** Reports what is consumed now; returns false when the transport takes nothing. */
    boolean report(Sender sender, long consumedPosition) {
        // Not less than before: a subscriber that enters a splice at this moment may hold it back.
        long consumed = Math.max(reportedPosition, consumedPosition);
        long wanted = requested.get();
        if (wanted <= consumed) {
            // Before the report is sent: the peer may read it, and ask again, before send() returns.
            requested.compareAndSet(wanted, Long.MAX_VALUE);
            answering = true;
        }
        reportedPosition = consumed;
        unsent = !send(sender, consumed);
        if (unsent) {
            return false;
        }
        answering = false;
        count++;
        return true;
    }

    private boolean send(Sender sender, long consumed) {
        return answering || word.equals(RemoteAccess.NONE)
                ? sender.send(ControlMessages.position(sender.scratch(), ControlType.CREDIT, tag, consumed))
                : sender.writeWord(word, consumed);
    }
}
