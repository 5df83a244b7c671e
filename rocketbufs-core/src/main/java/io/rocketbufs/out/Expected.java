package io.rocketbufs.out;

import io.rocketbufs.buffer.DeliveryLog;
import io.rocketbufs.link.Link;
import java.util.concurrent.Executor;

/**
 * An expected subscription. Data that starts at a log position is kept for the subscription, so that nothing is lost
 * before its connection subscribes.
 *
 * <pre>
 *   KEEPING ----timeout-----&gt; LATE (keeps nothing, remembers the loss) --------subscribes or ends--&gt; gone
 *      |                                                                                             ^
 *      +-----------------------------subscribes or ends----------------------------------------------+
 * </pre>
 *
 * <p>An expectation outlives its buffer. For one minute after the time limit, a late subscription is still notified of
 * the data that it missed, even if the buffer has ended and been drained.
 *
 * <p><b>Thread-safety:</b> changed under the {@link Fanout}'s lock; any thread may read the position. The worker
 * measures the time.
 */
public class Expected {
    /**
     * Grace period for a late subscription. A connection that has been silent for this long has usually been closed,
     * and a live connection that has not subscribed by then probably never will.
     */
    private static final long REMEMBERED_MS = 60_000;

    /** The buffer that keeps the data. */
    interface Owner {
        /** Returns true while an expected subscription has neither joined nor been given up permanently. */
        boolean expects(Expected one);

        /**
         * Stops keeping data for a subscription that has exceeded its time limit or, if {@code forGood}, that will not
         * join.
         */
        void giveUp(Expected one, boolean forGood);

        /** Returns true if the buffer has ended. */
        boolean isEnded();
    }

    final Owner owner;
    final DeliveryLog log;
    private final Link link;
    private long start;
    private volatile long position;
    private long leftMs = Long.MAX_VALUE;

    /**
     * Creates an expectation that keeps the data at and after {@code position}, until {@link #keepFrom} sets the final
     * position.
     */
    Expected(Owner owner, DeliveryLog log, Link link, long position) {
        this.owner = owner;
        this.log = log;
        this.link = link;
        this.position = position;
    }

    /** Keeps the data at and after a log position. Called once the buffer keeps all data after this position. */
    void keepFrom(long first) {
        start = first + log.gapsBefore(first, 0);
        position = first;
    }

    /** Returns true if {@code other} is the expected connection, or if any connection is expected. */
    boolean isOf(Link other) {
        return link == null || link == other;
    }

    /** Returns true if this expectation remains after a connection has subscribed. */
    boolean isPermanent() {
        return false;
    }

    /** Returns true if deliveries must not be merged, because a subscription with an unknown limit is expected. */
    boolean limitsMerging() {
        return isKeeping();
    }

    /** Returns the executor for status reports. */
    Executor executor() {
        return link == null ? Runnable::run : link.worker();
    }

    /** Returns true if one particular connection is expected. */
    boolean isOfOneConnection() {
        return link != null;
    }

    /** Returns true while data is kept. */
    boolean isKeeping() {
        return position != Long.MAX_VALUE;
    }

    /** Returns the log position of the first byte that is kept; {@link Long#MAX_VALUE} if no data is kept. */
    long position() {
        return position;
    }

    /** Returns the first log position at or after {@link #position()} that lies between two deliveries. */
    long boundary() {
        return position;
    }

    /** Returns the log position of the first byte that is kept for later subscriptions. */
    long held() {
        return position;
    }

    /** Advances to a log position, and no longer keeps the data before it. */
    final void moveTo(long next) {
        position = next;
    }

    /** Returns true if the producer need not wait for this expectation, even if it waits for other expectations. */
    boolean yields() {
        return false;
    }

    /**
     * Called before a subscription is removed.
     *
     * @param consumedPosition log position up to which the subscription has consumed the data
     */
    void left(long consumedPosition) {}

    /** Returns the log position up to which data is known to be consumed; later data is kept. */
    long consumed() {
        return position;
    }

    /** Returns the position in the buffer's data from which data was kept. */
    long start() {
        return start;
    }

    /** Called when the producer has begun to wait. Any thread. */
    void onProducerWaits() {}

    /** Stops keeping data. A later subscription is notified of the data that it missed. */
    void keepNothing() {
        position = Long.MAX_VALUE;
    }

    // On the connection's worker.

    /** Sets how long data is kept. */
    public void limit(long timeoutMs) {
        leftMs = timeoutMs;
    }

    /**
     * Called when {@code elapsedMs} more milliseconds have passed. At the time limit, stops keeping data. One minute
     * later, ends the expectation if the buffer has ended.
     */
    public void tick(long elapsedMs) {
        boolean wasInTime = leftMs > 0;
        leftMs -= elapsedMs;
        if (wasInTime && leftMs <= 0) {
            owner.giveUp(this, false);
        } else if (owner.isEnded() && leftMs < -REMEMBERED_MS) {
            owner.giveUp(this, true);
        }
    }

    /** Ends the expectation because the connection has ended. */
    public void end() {
        owner.giveUp(this, true);
    }

    /** Returns true if the subscription has joined or is no longer expected. */
    public boolean isOver() {
        return !owner.expects(this);
    }
}
