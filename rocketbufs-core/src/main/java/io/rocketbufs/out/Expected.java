package io.rocketbufs.out;

import io.rocketbufs.link.Link;
import java.util.concurrent.Executor;

/**
 * A subscription that is expected: data is kept for it from a log position on, so that nothing is lost while its
 * connection subscribes.
 *
 * <pre>
 *   KEEPING --time is over--&gt; LATE (keeps nothing, remembers what it missed) --subscribes or ends--&gt; gone
 *      |                                                                                             ^
 *      +-----------------------------subscribes or ends----------------------------------------------+
 * </pre>
 *
 * <p>It outlives the buffer: a subscription that is late is told what it missed of a buffer that has ended and is
 * drained, for a minute after its time was over.
 *
 * <p><b>Thread-safety:</b> any thread reads the position; changed under the {@link Fanout}'s lock. The time is the
 * worker's.
 */
public final class Expected {
    /**
     * A connection that nothing is heard of for this long is usually cut; one that is alive and has not subscribed by
     * then is not going to.
     */
    private static final long REMEMBERED_MS = 60_000;

    private final Fanout fanout;
    private final Link link;
    private long from;
    private long gapsBefore;
    private volatile long position;
    private long leftMs = Long.MAX_VALUE;

    /** Keeps what follows {@code position} for now, until {@link #keepFrom} says from where on. */
    Expected(Fanout fanout, Link link, long position) {
        this.fanout = fanout;
        this.link = link;
        this.position = position;
    }

    /** Keeps what is delivered from a position on. */
    void keepFrom(long first) {
        from = first;
        gapsBefore = fanout.log().gapsBefore(first);
        position = first;
    }

    /** Returns true when this is expected of that connection, or of any. */
    boolean isOf(Link other) {
        return link == null || link == other;
    }

    /** Returns where statuses of deliveries are reported. */
    Executor executor() {
        return link == null ? Runnable::run : link.worker();
    }

    /** Returns true when a certain connection is expected. */
    boolean isOfOneConnection() {
        return link != null;
    }

    /** Returns the buffer, also when its output has forgotten it since it ended. */
    public Fanout fanout() {
        return fanout;
    }

    /** Returns true while data is kept. */
    boolean isKeeping() {
        return position != Long.MAX_VALUE;
    }

    /** Returns the log position of the first byte that is kept; {@link Long#MAX_VALUE} when none is. */
    long position() {
        return position;
    }

    /** Returns the log position where keeping began. */
    long from() {
        return from;
    }

    /** Returns the bytes lost upstream before that. */
    long gapsBefore() {
        return gapsBefore;
    }

    /** Keeps nothing any more; a subscription that comes later learns what it missed. */
    void keepNothing() {
        position = Long.MAX_VALUE;
    }

    // The worker of the connection.

    /** Sets how long data is kept. */
    public void limit(long timeoutMs) {
        leftMs = timeoutMs;
    }

    /** Lets time pass; when it is over, nothing is kept any more, and a minute later an ended buffer is forgotten. */
    public void tick(long elapsedMs) {
        boolean wasInTime = leftMs > 0;
        leftMs -= elapsedMs;
        if (wasInTime && leftMs <= 0) {
            fanout.giveUp(this, false);
        } else if (fanout.isEnded() && leftMs < -REMEMBERED_MS) {
            fanout.giveUp(this, true);
        }
    }

    /** Ends the expectation: the connection is over. */
    public void end() {
        fanout.giveUp(this, true);
    }

    /** Returns true when the subscription has come, or can come no more. */
    public boolean isOver() {
        return !fanout.expects(this);
    }
}
