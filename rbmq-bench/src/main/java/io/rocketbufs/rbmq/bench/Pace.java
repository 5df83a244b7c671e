package io.rocketbufs.rbmq.bench;

import java.util.concurrent.locks.LockSupport;

/**
 * When each message of a fixed rate is due. The schedule does not wait for a sender that is late: what it missed is due
 * at once, and keeps the time at which it should have gone.
 *
 * <p>It parks until a message is due, without spinning: on few cores a spinning sender takes the time of those whom it
 * measures.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Pace {
    private static final long SECOND_NS = 1_000_000_000;

    private final long rate;
    private final long stepNs;
    private final long stepRemainder;
    private long dueNs;
    private long remainder;
    private long nowNs;

    /** Messages per second, from now on. */
    Pace(long rate) {
        this.rate = rate;
        this.stepNs = SECOND_NS / rate;
        this.stepRemainder = SECOND_NS % rate;
        this.dueNs = System.nanoTime();
        this.nowNs = dueNs;
    }

    /**
     * Waits until the next message is due, but not longer than until the thread is unparked.
     *
     * @return true when it is due; false when something else woke the thread
     */
    boolean awaitDue() {
        if (nowNs - dueNs >= 0) {
            return true;
        }
        nowNs = System.nanoTime();
        if (nowNs - dueNs < 0) {
            LockSupport.parkNanos(this, dueNs - nowNs);
            nowNs = System.nanoTime();
        }
        return nowNs - dueNs >= 0;
    }

    /** The time at which it is due, by {@link System#nanoTime}. */
    long dueNs() {
        return dueNs;
    }

    /** Goes on to the next message. */
    void advance() {
        dueNs += stepNs;
        remainder += stepRemainder;
        if (remainder >= rate) {
            remainder -= rate;
            dueNs++;
        }
    }
}
