package io.rocketbufs.out;

import io.rocketbufs.link.ConnectionCredit;
import io.rocketbufs.link.CreditWaiter;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The part of a connection's {@link ConnectionCredit} that one subscription uses.
 *
 * <p>The share contains all data delivered since the peer last consumed everything. It includes data that the peer has
 * consumed since then, because the pages that contain this data have been touched on at least one side. The whole share
 * is released as soon as the peer has consumed all delivered data. The subscription then rests, and the buffers on both
 * sides can restart at their first byte.
 *
 * <pre>
 *                 open                 use                      everything is consumed
 *   CLOSED -----------------> RESTING ------------&gt; USING ----------------------------------&gt; RESTING
 *      ^                         |                    |
 *      +---------- close --------+--------------------+
 * </pre>
 *
 * <p>A subscription may use {@link ConnectionCredit#MINIMUM} bytes after each rest. If it has used more, and the
 * connection's credit is used up, the producer waits until the subscription rests again. A receiver that never consumes
 * everything must not stop the producer permanently. Therefore, when the {@linkplain #tick clock} ticks, the producer
 * may also continue if only the newest delivery is unconsumed. If less than the minimum is unconsumed, it may continue
 * until the minimum is in transit.
 *
 * <p><b>Thread-safety:</b> the producer calls {@link #use} and {@link #await}, and the worker calls {@link #open} and
 * {@link #tick}. Any thread may call the other methods.
 */
final class CreditShare extends CreditWaiter {
    private static final long CLOSED = -1;
    /** Number of idle ticks after which requests become urgent. */
    private static final int STALLED_TICKS = 4;
    /**
     * Number of ticks for which requests stay urgent, so that a reader that answers only urgent requests rarely stops
     * its producer.
     */
    private static final int URGENT_TICKS = 40;

    private final ConnectionCredit credit;
    private final FlushRequest requests;
    private final LongSupplier passed;
    private final Runnable onReturned;
    /** Number of bytes in use; {@link #CLOSED} while this subscription has no share. */
    private final AtomicLong used = new AtomicLong(CLOSED);

    /** Maximum number of bytes in transit; written before the share is opened. */
    private long capacity;

    /** Log positions at which the newest delivery and the one before it end; written by the producer. */
    private volatile long end;

    private volatile long previousEnd;
    /** Log position up to which the peer had consumed everything at the last rest. */
    private volatile long restedAt;
    /** True if requests are urgent, because the peer consumed nothing while they were not. */
    private volatile boolean urgent;

    // Worker only.
    private long endAtTick;
    private long passedAtTick;
    /** Number of consecutive ticks without a delivery or consumption. */
    private int idleTicks;
    /** Number of ticks for which requests are still urgent. */
    private int urgentTicks;

    /**
     * Creates a closed share.
     *
     * @param requests the requests for the peer's reports
     * @param passed returns the log position up to which the subscription delays no producer, usually the peer's
     *     consumed position
     * @param onReturned run when the producer may continue
     */
    CreditShare(ConnectionCredit credit, FlushRequest requests, LongSupplier passed, Runnable onReturned) {
        this.credit = credit;
        this.requests = requests;
        this.passed = passed;
        this.onReturned = onReturned;
    }

    /** Opens the share of a subscription that begins at a log position. */
    void open(long length, long position) {
        capacity = length;
        end = position;
        previousEnd = position;
        restedAt = position;
        credit.add(length);
        used.set(0);
    }

    /** Releases the share permanently. Idempotent. */
    void close() {
        long before = used.getAndSet(CLOSED);
        if (before != CLOSED) {
            credit.use(-before);
            credit.remove(capacity);
            onReturned.run();
        }
    }

    /** Returns true if this share limits the producer or may limit it later. */
    boolean isActive() {
        return credit.isActive();
    }

    /**
     * Called after a delivery, before it is sent. Requests a report of consumption if the connection's credit is
     * scarce.
     *
     * @param length number of bytes between the buffer's first byte and the newest one
     * @param position log position of the end of the delivery
     * @return true if the connection's credit is used up
     */
    boolean use(long length, long position) {
        previousEnd = end;
        end = position;
        long before = used.get();
        long now = Math.max(length, Math.min(capacity, position - restedAt));
        // If another thread releases the share at the same time, the next delivery records the length again.
        if (before == CLOSED || before != now && !used.compareAndSet(before, now)) {
            return false;
        }
        if (before != now) {
            credit.use(now - before);
        }
        if (!credit.isScarce()) {
            return false;
        }
        if (position - restedAt >= ConnectionCredit.MINIMUM) {
            requests.awaitReport(position, passed.getAsLong());
        }
        return credit.isUsedUp();
    }

    /** Returns false while the producer must wait until this subscription rests or the connection has credit. */
    boolean allows() {
        if (used.get() == CLOSED || !credit.isUsedUp()) {
            return true;
        }
        restIfConsumed();
        return end - restedAt < ConnectionCredit.MINIMUM;
    }

    /**
     * Requests that the producer be notified when it may continue. After this call, the caller must check whether the
     * producer may already continue.
     *
     * @return true if the subscription must check for work, because a report must be requested
     */
    boolean await() {
        credit.await(this);
        return request(end, passed.getAsLong());
    }

    /** Requests a report; the request is urgent if the peer otherwise consumes nothing. */
    private boolean request(long position, long consumed) {
        return urgent ? requests.awaitSpace(position, consumed) : requests.awaitReport(position, consumed);
    }

    /**
     * Called when the peer may have consumed more data. Releases the share if the peer has consumed everything.
     *
     * @return true if the subscription must check for work, because a report must be requested
     */
    boolean settle() {
        long delivered = end;
        return !restIfConsumed()
                && delivered - restedAt >= ConnectionCredit.MINIMUM
                && credit.isScarce()
                && requests.awaitReport(delivered, passed.getAsLong());
    }

    /** Releases the share and returns true if the peer has consumed everything; otherwise, returns false. */
    private boolean restIfConsumed() {
        long delivered = end;
        if (used.get() == CLOSED || used.get() == 0 && restedAt >= delivered) {
            return true;
        }
        boolean consumed = passed.getAsLong() >= delivered;
        if (consumed) {
            rest(delivered);
        }
        return consumed;
    }

    private void rest(long position) {
        restedAt = position;
        long before = used.get();
        // If the producer uses more credit at the same time, the next rest releases the share.
        if (before > 0 && used.compareAndSet(before, 0)) {
            credit.use(-before);
        }
        onReturned.run();
    }

    /**
     * Called at regular intervals.
     *
     * @return true if the subscription must check for work, because a report must be requested
     */
    boolean tick() {
        boolean requested = settle();
        long delivered = end;
        long consumed = passed.getAsLong();
        boolean waits = used.get() > 0 && consumed < delivered && credit.isUsedUp();
        idleTicks = waits && delivered == endAtTick && consumed == passedAtTick ? idleTicks + 1 : 0;
        urgentTicks = idleTicks >= STALLED_TICKS ? URGENT_TICKS : Math.max(0, urgentTicks - 1);
        urgent = urgentTicks > 0;
        endAtTick = delivered;
        passedAtTick = consumed;
        if (!waits) {
            if (used.get() != CLOSED && !credit.isUsedUp()) {
                // If less than a quarter of the credit is free, nothing else notifies the producer.
                onReturned.run();
            }
            return requested;
        }
        boolean keepsLittle = delivered - consumed < ConnectionCredit.MINIMUM;
        if (delivered - restedAt >= ConnectionCredit.MINIMUM && (keepsLittle || consumed >= previousEnd)) {
            restedAt = keepsLittle ? consumed : delivered;
            onReturned.run();
        }
        return request(delivered, consumed) || requested;
    }

    @Override
    protected void onCredit() {
        onReturned.run();
        if (!allows()) {
            // Producers that were notified first have used up the credit.
            credit.await(this);
            if (allows()) {
                onReturned.run();
            }
        }
    }
}
