package io.rocketbufs.rbmq.bench;

import java.util.concurrent.locks.LockSupport;

/**
 * The schedule of messages at a fixed rate. It does not wait for a sender that is late: overdue messages are due
 * immediately and keep their original due times.
 *
 * <p>The sender parks until a message is due. On a machine with few cores, spinning would take processor time from the
 * measured processes.
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

    /** Starts a schedule of {@code rate} messages per second. */
    Pace(long rate) {
        this.rate = rate;
        this.stepNs = SECOND_NS / rate;
        this.stepRemainder = SECOND_NS % rate;
        this.dueNs = System.nanoTime();
        this.nowNs = dueNs;
    }

    /** Returns true if the next message is due, so that {@link #awaitDue} does not wait. */
    boolean isDue() {
        return nowNs - dueNs >= 0;
    }

    /**
     * Waits until the next message is due or the thread is unparked.
     *
     * @return true if the message is due; false if the thread was unparked before that time
     */
    boolean awaitDue() {
        if (isDue()) {
            return true;
        }
        nowNs = System.nanoTime();
        if (!isDue()) {
            LockSupport.parkNanos(this, dueNs - nowNs);
            nowNs = System.nanoTime();
        }
        return isDue();
    }

    /** Returns the time at which the next message is due, as a value of {@link System#nanoTime}. */
    long dueNs() {
        return dueNs;
    }

    /** Advances to the next message. */
    void advance() {
        dueNs += stepNs;
        remainder += stepRemainder;
        if (remainder >= rate) {
            remainder -= rate;
            dueNs++;
        }
    }
}
