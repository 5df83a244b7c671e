package io.rocketbufs.delivery;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that has a turn at a connection's sending side when it has work: a subscription or an input buffer's
 * credit.
 *
 * <p><b>Thread-safety:</b> any thread may make a turn ready; {@link #take} runs under the {@link Sender}'s token.
 */
abstract class Turn {
    /** What a turn came to. */
    enum Outcome {
        /** Did something, may have more. */
        AGAIN,
        /** Nothing to do; whoever brings work makes it ready. */
        IDLE,
        /** Has work but waits for the peer; only the peer's news makes it ready. */
        PARKED,
        /** The transport takes nothing now. */
        BLOCKED
    }

    private static final int STATE_IDLE = 0;
    private static final int STATE_QUEUED = 1;
    private static final int STATE_PARKED = 2;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Turn.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Begins as queued, so that nobody queues it before it is {@linkplain #rest put to rest} for the first time. */
    private volatile int state = STATE_QUEUED;
    /** Set by whoever wants another {@link #take}, also while one is under way. */
    private volatile boolean woken;
    /** Deliveries into the buffer when the producer made this ready last; the producer's. */
    private long announced;
    /** Link of the one list that holds this turn; written by whoever queued it. */
    Turn next;

    /** Does the next piece of work. */
    abstract Outcome take(Sender sender);

    /** True when there is work that nobody has announced since the last {@link #take}. */
    abstract boolean isReady();

    /** Asks for another {@link #take}; a claim to queue this turn must follow. */
    final void wakeUp() {
        woken = true;
    }

    /** True when another {@link #take} was asked for since the last one began. */
    final boolean isWoken() {
        return woken;
    }

    /** A {@link #take} begins, and sees whatever it was asked for. */
    final void begin() {
        if (woken) {
            woken = false;
        }
    }

    /** Claims the right to queue this turn when it is idle. */
    final boolean leaveIdle() {
        return state == STATE_IDLE && STATE.compareAndSet(this, STATE_IDLE, STATE_QUEUED);
    }

    /** How many deliveries found this turn under way since the producer made it ready last, of so many in all. */
    final long gathered(long deliveries) {
        long count = deliveries - announced - 1;
        announced = deliveries;
        return count;
    }

    /** Claims the right to queue this turn when it is parked. */
    final boolean leaveParked() {
        return state == STATE_PARKED && STATE.compareAndSet(this, STATE_PARKED, STATE_QUEUED);
    }

    /** True when only the peer's news makes this ready. */
    final boolean isParked() {
        return state == STATE_PARKED;
    }

    /** Rests; the caller looks at {@link #isReady()} afterwards, for work may have come unannounced. */
    final void rest(Outcome outcome) {
        state = outcome == Outcome.PARKED ? STATE_PARKED : STATE_IDLE;
    }
}
