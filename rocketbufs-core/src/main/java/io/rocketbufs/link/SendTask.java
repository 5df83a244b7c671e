package io.rocketbufs.link;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A source of data or messages for one connection, such as a subscription or an input buffer's credit.
 *
 * <p>One word stores whether the task is queued and which requests other threads have made:
 *
 * <pre>
 *   31                3     2        1        0
 *  +--------------------+--------+--------+--------+
 *  |      requests      | relief | parked | queued |
 *  +--------------------+--------+--------+--------+
 *
 *             signal, request                 rest(IDLE)
 *   RESTING ------------------&gt;          -----------------&gt; RESTING
 *                                QUEUED
 *   PARKED  ------------------&gt;          -----------------&gt; PARKED
 *            unpark, request                rest(PARKED)
 * </pre>
 *
 * <p>New data needs no request: the producer appends the data and then {@linkplain #signal signals} the task, which
 * {@linkplain #hasWork finds} the data at the end of the log. A parked task waits for the peer; new data alone does not
 * queue it.
 *
 * <p><b>Thread-safety:</b> any thread signals and makes requests; {@link #take} and {@link #relieve} run under the
 * {@link Sender}'s token.
 */
public abstract class SendTask {
    /** The lowest bit that a subclass may use as a request. */
    protected static final int FIRST_REQUEST = 1 << 3;

    private static final int QUEUED = 1;
    private static final int PARKED = 1 << 1;
    private static final int RELIEF = 1 << 2;
    private static final int REQUESTS = -FIRST_REQUEST;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(SendTask.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Initially queued, so that no thread queues the task before {@link Sender#start}. */
    private volatile int state = QUEUED;
    /** Number of deliveries into the buffer when the producer last signalled this task; written by the producer. */
    private long announced;
    /** Next task in the list of ready tasks; written by the thread that queued this task. */
    SendTask next;
    /** Next task in the list of tasks that have been asked to release memory. */
    SendTask nextToRelieve;

    /** The result of one call of {@link #take}. */
    public enum Outcome {
        /** The task has sent something and may have more work. */
        AGAIN,
        /** There is no work; the task must be signalled when new work arrives. */
        IDLE,
        /** The remaining work depends on the peer. Only {@link Sender#unpark} or a request queues the task. */
        PARKED,
        /** The transport currently accepts nothing; this task remains the first in the queue. */
        BLOCKED
    }

    /**
     * Performs the next piece of work.
     *
     * @param requests the requests since the last call
     */
    protected abstract Outcome take(int requests);

    /** Returns true if there is work that no signal or request has announced. */
    protected abstract boolean hasWork();

    /**
     * Releases memory that a producer is waiting for, if the task's policy allows this. Also called while the transport
     * accepts nothing.
     *
     * @return false to request another call after the ready tasks have been served
     */
    protected boolean relieve() {
        return true;
    }

    /** Returns true if only a message from the peer or a request can queue this task. */
    public final boolean isParked() {
        return (state & (PARKED | QUEUED)) == PARKED;
    }

    /**
     * Returns the number of deliveries made since the last signal, while this task was at work.
     *
     * @param deliveries total number of deliveries
     */
    final long gathered(long deliveries) {
        long count = deliveries - announced - 1;
        announced = deliveries;
        return count;
    }

    /** Claims the right to queue this task if it is resting. */
    final boolean signal() {
        int seen = state;
        while ((seen & (QUEUED | PARKED)) == 0) {
            if (STATE.compareAndSet(this, seen, seen | QUEUED)) {
                return true;
            }
            seen = state;
        }
        return false;
    }

    /** Claims the right to queue this task if it is parked. */
    final boolean unpark() {
        return isParked() && request(0);
    }

    /** Adds requests to the task; returns true if the caller must queue the task. */
    final boolean request(int bits) {
        return ((int) STATE.getAndBitwiseOr(this, bits | QUEUED) & QUEUED) == 0;
    }

    /** Requests {@link #relieve}; returns true if the caller must add the task to the list of relief requests. */
    final boolean requestRelief() {
        return ((int) STATE.getAndBitwiseOr(this, RELIEF) & RELIEF) == 0;
    }

    /** Clears the request for {@link #relieve}. */
    final void reliefBegins() {
        STATE.getAndBitwiseAnd(this, ~RELIEF);
    }

    /** Returns and clears the pending requests. */
    final int takeRequests() {
        return (state & REQUESTS) == 0 ? 0 : (int) STATE.getAndBitwiseAnd(this, ~REQUESTS) & REQUESTS;
    }

    /**
     * Puts a task to rest after {@link #take}; returns false if more work has arrived and the task must be queued
     * again.
     */
    final boolean rest(Outcome outcome) {
        int resting = outcome == Outcome.PARKED ? PARKED : 0;
        int seen;
        do {
            seen = state;
            if ((seen & REQUESTS) != 0) {
                return false;
            }
        } while (!STATE.compareAndSet(this, seen, seen & RELIEF | resting));
        // Signals sent before the task rested had no effect, so check for work again.
        return !hasWork() || !request(0);
    }
}
