package io.rocketbufs.out;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The wait of one buffer's producer until all readers have passed a log position. The producer either blocks or is
 * notified.
 *
 * <p><b>Thread-safety:</b> the producer's thread waits; any thread may report progress.
 */
final class SpaceWait {
    private static final Logger LOG = LoggerFactory.getLogger(SpaceWait.class);
    private static final long RECHECK_NS = 10_000_000;

    private final int bufferId;
    private final LongSupplier passed;
    private volatile Thread waiter;
    private volatile long wakeAt = Long.MAX_VALUE;
    private volatile Runnable callback;
    /** Log position that all readers must pass before the callback runs; {@link Long#MAX_VALUE} for none. */
    private volatile long notifyAt = Long.MAX_VALUE;

    /**
     * Creates a wait that has not begun.
     *
     * @param passed returns the log position that all readers have passed
     */
    SpaceWait(int bufferId, LongSupplier passed) {
        this.bufferId = bufferId;
        this.passed = passed;
    }

    /** Sets the callback that runs when another attempt may succeed. Must be called before the first wait. */
    void setCallback(Runnable onSpace) {
        callback = onSpace;
    }

    /** Returns true if the producer is notified by a callback. */
    boolean hasCallback() {
        return callback != null;
    }

    /**
     * Requests the callback at a log position. The caller must then execute a full fence and check the position again.
     */
    void notifyAt(long position) {
        notifyAt = position;
    }

    /** Begins this thread's wait for a log position. */
    void begin(long position) {
        wakeAt = position;
        waiter = Thread.currentThread();
    }

    /** Waits unless the position has been passed. The wait has a time limit, and can end early. */
    void park() {
        if (passed.getAsLong() < wakeAt) {
            // The wait has a time limit, because only another attempt applies the rules for slow subscriptions.
            LockSupport.parkNanos(this, RECHECK_NS);
        }
    }

    /** Ends this thread's wait. */
    void finish() {
        waiter = null;
    }

    /** Returns the log position that the producer waits for; 0 while it does not wait. */
    long awaited() {
        long notified = notifyAt;
        return Math.max(notified == Long.MAX_VALUE ? 0 : notified, waiter == null ? 0 : wakeAt);
    }

    /** Called when a reader may have passed a position; fast if the producer does not wait for it. */
    void onReleased(long released) {
        Thread waiting = waiter;
        if (waiting != null && released >= wakeAt && passed.getAsLong() >= wakeAt) {
            LockSupport.unpark(waiting);
        }
        if (released >= notifyAt && passed.getAsLong() >= notifyAt) {
            runCallback();
        }
    }

    /**
     * Called when a subscription that begins at a log position has joined. If the subscription is in the producer's
     * way, only another attempt applies the subscription's slow rule, so the producer is notified.
     */
    void onJoined(long begun) {
        long position = notifyAt;
        if (position != Long.MAX_VALUE && begun < position) {
            runCallback();
        }
    }

    /** Notifies the producer, because the buffer has ended. */
    void end() {
        LockSupport.unpark(waiter);
        runCallback();
    }

    private void runCallback() {
        Runnable onSpace = callback;
        notifyAt = Long.MAX_VALUE;
        if (onSpace != null) {
            try {
                onSpace.run();
            } catch (RuntimeException e) {
                // The thread that frees space, possibly another connection's worker, must not be affected by the
                // failure.
                LOG.error("The space callback of buffer {} failed", bufferId, e);
            }
        }
    }
}
