package io.rocketbufs.rbmq.client;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of messages that a consumer has requested and not yet received. While it is 0, its gate is closed.
 *
 * <p><b>Thread-safety:</b> any thread may add demand; only the connection's worker uses it up.
 */
final class Demand {
    /** Demand that is never used up, as rule 3.17 of the Reactive Streams specification allows. */
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final AtomicLong requested = new AtomicLong();
    /** Null until the demand limits a subscription. */
    private Gate gate;

    /** A gate through which messages pass. Its methods are called on any thread, one at a time. */
    interface Gate {
        /** Called when messages must no longer pass. */
        void close();

        /** Called when messages may pass again. */
        void open();
    }

    /** Requests more messages. */
    void add(long count) {
        if (requested.getAndAccumulate(count, Demand::sum) == 0) {
            update();
        }
    }

    private static long sum(long before, long count) {
        return count >= UNLIMITED - before ? UNLIMITED : before + count;
    }

    /** Returns a handler that uses up the demand. On return, the gate is open or closed according to the demand. */
    MessageHandler limit(MessageHandler handler, Gate newGate) {
        synchronized (this) {
            gate = newGate;
        }
        update();
        return message -> {
            handler.onMessage(message);
            if (requested.updateAndGet(Demand::less) == 0) {
                update();
            }
        };
    }

    private static long less(long before) {
        assert before > 0 : "a message was taken without demand";
        return before == UNLIMITED ? UNLIMITED : before - 1;
    }

    /**
     * Opens or closes the gate according to the current demand. Every change of the demand from or to 0 is followed by
     * another call of this method. A late thread therefore cannot open it for demand that has already been used up.
     */
    private synchronized void update() {
        if (gate == null) {
            return;
        }
        if (requested.get() > 0) {
            gate.open();
        } else {
            gate.close();
        }
    }
}
