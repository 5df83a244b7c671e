package io.rocketbufs.rbmq.client;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The number of messages that a consumer has requested and not received yet. While it is 0, its gate is closed.
 *
 * <p><b>Thread-safety:</b> any thread requests; the connection's worker takes.
 */
final class Demand {
    /** Cannot be used up, as the specification of Reactive Streams allows in rule 3.17. */
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final AtomicLong requested = new AtomicLong();
    /** Null until the demand limits a subscription. */
    private Gate gate;

    /** The entrance for messages. The methods are called on any thread, one at a time. */
    interface Gate {
        /** Called when messages must no longer be taken. */
        void close();

        /** Called when messages may be taken again. */
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

    /** Returns a handler that uses up the demand. The gate is open or closed accordingly when this method returns. */
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
     * Opens or closes the gate, according to the demand now. A thread that is late can thus not open it for demand that
     * has been used up since: every change of the demand from or to 0 leads to another call of this method.
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
