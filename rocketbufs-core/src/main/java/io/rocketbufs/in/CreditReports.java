package io.rocketbufs.in;

import io.rocketbufs.link.Sender;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The reports of one input buffer's consumed position to its sender. A report is sent after every quarter of the
 * capacity, and when all data before a position requested by the sender has been consumed. The last report is sent when
 * the sender ends the buffer or the connection closes.
 *
 * <p>Requested reports and the last report are CREDIT messages, which wake the sender. If the sender has granted access
 * to a word of its memory, unsolicited reports are written directly to that word. These writes cost the sender no
 * processor time. The sender reads the word before it waits for credit.
 *
 * <p><b>Thread-safety:</b> reports are sent under the {@link Sender}'s token; any thread may call the other methods.
 * <b>Source:</b> RocketBufs 3.3.
 */
final class CreditReports {
    private final int tag;
    private final long quarter;
    /** Lowest position for which the sender has requested a report. */
    private final AtomicLong requested = new AtomicLong(Long.MAX_VALUE);

    /** True once the sender has requested a report. */
    private volatile boolean wasRequested;

    private volatile long reportedPosition;
    /** Position in the last CREDIT message, which the sender has received or will receive shortly. */
    private volatile long messagePosition;

    /** Position in the report before UNSUBSCRIBE; 0 if there is none. Worker only. */
    private long leftPosition;

    private volatile long count;
    /**
     * The task to run when the last report has been sent; null while no last report is requested. Cleared under the
     * token.
     */
    private final AtomicReference<Runnable> onLastSent = new AtomicReference<>();

    // Used under the token, after the sender has accepted the subscription.
    private RemoteAccess word = RemoteAccess.NONE;
    /** True if the next report must be a message; stays set until the transport has accepted it. */
    private boolean byMessage;
    /** True if the transport has not accepted the last report yet. */
    private boolean unsent;

    CreditReports(int tag, long capacity) {
        this.tag = tag;
        this.quarter = Math.max(1, capacity / 4);
    }

    /**
     * Sets the word in the sender's memory to which unsolicited reports are written; NONE if there is none. Must be
     * called before the first report.
     */
    void into(RemoteAccess lent) {
        word = lent;
    }

    /** Returns the consumed position that the sender has received or will receive shortly. */
    long reportedPosition() {
        return reportedPosition;
    }

    /** Returns the number of reports sent. */
    long count() {
        return count;
    }

    /**
     * Records that the sender requests a report once all data before {@code position} has been consumed. A request is
     * ignored if a CREDIT message that covers it has already been sent. The sender repeats its request after each
     * report that falls short of it. If the receiver answered both the original and the repeated request, the second
     * answer would fall short of the sender's next request, and the sender would repeat that request, too. The number
     * of messages in circulation would therefore grow.
     */
    void request(long position) {
        wasRequested = true;
        if (position > messagePosition) {
            requested.accumulateAndGet(position, Math::min);
        }
    }

    /** Returns the consumed position of the next unsolicited report. */
    long nextQuarter() {
        return reportedPosition + quarter;
    }

    /** Returns the consumed position that makes the next report due. */
    long next() {
        return Math.min(nextQuarter(), requested.get());
    }

    /** Returns true if a report must be sent at the given consumed position. */
    boolean isDue(long consumedPosition) {
        return unsent || consumedPosition >= next();
    }

    /**
     * Returns the position to report before UNSUBSCRIBE to a sender that has requested reports, because its next
     * request may not have arrived yet; -1 if nothing needs to be reported. The report also gives credit, which the
     * sender may use before it receives UNSUBSCRIBE. Worker only.
     */
    long leave(long consumedPosition) {
        long consumed = Math.max(reportedPosition, consumedPosition);
        if (!wasRequested || consumed <= messagePosition) {
            return -1;
        }
        leftPosition = consumed;
        return consumed;
    }

    /** Returns the highest consumed position that may have been reported to the sender. Worker only. */
    long admittedPosition() {
        return Math.max(reportedPosition, leftPosition);
    }

    /** Reports the consumed position; returns false if the transport does not accept the message. */
    boolean report(Sender sender, long consumedPosition) {
        // Never moves backwards: a subscription that joins a splice may temporarily lower the consumed position.
        long consumed = Math.max(reportedPosition, consumedPosition);
        long wanted = requested.get();
        if (wanted <= consumed) {
            // Cleared before the report is sent: the peer may read the report and send another request before send()
            // returns.
            requested.compareAndSet(wanted, Long.MAX_VALUE);
            byMessage = true;
        }
        reportedPosition = consumed;
        unsent = !send(sender, consumed);
        if (unsent) {
            return false;
        }
        byMessage = false;
        count++;
        return true;
    }

    /**
     * Requests the last report, because the buffer has ended or the connection closes; both can happen before the
     * report is sent. The report is a message, which is not sent if an earlier message contained the same position.
     *
     * @param onSent run on any thread when the report has been sent or is not necessary
     */
    void requestLast(Runnable onSent) {
        onLastSent.accumulateAndGet(onSent, CreditReports::both);
    }

    private static Runnable both(Runnable first, Runnable second) {
        return first == null
                ? second
                : () -> {
                    first.run();
                    second.run();
                };
    }

    /**
     * Returns the request for the last report; null while there is none. Must be read before the consumed position that
     * is reported, so that the last report covers all data that was consumed when it was requested.
     */
    Runnable lastRequest() {
        return onLastSent.get();
    }

    /**
     * Sends the report that is due; returns false if the transport does not accept it.
     *
     * @param consumedPosition negative if nothing may be reported to the sender
     * @param last the request for the last report, read before the consumed position; null if there was none
     */
    boolean serve(Sender sender, long consumedPosition, Runnable last) {
        if (last != null && Math.max(reportedPosition, consumedPosition) != messagePosition) {
            byMessage = true;
        }
        if (consumedPosition >= 0 && (byMessage || isDue(consumedPosition)) && !report(sender, consumedPosition)) {
            return false;
        }
        // Another request may have been added since the position was read. Its thread requests another call.
        if (last != null && onLastSent.compareAndSet(last, null)) {
            last.run();
        }
        return true;
    }

    private boolean send(Sender sender, long consumed) {
        if (!byMessage && !word.equals(RemoteAccess.NONE)) {
            return sender.writeWord(word, consumed);
        }
        if (!sender.send(ControlMessages.position(sender.scratch(), ControlType.CREDIT, tag, consumed))) {
            return false;
        }
        messagePosition = consumed;
        return true;
    }
}
