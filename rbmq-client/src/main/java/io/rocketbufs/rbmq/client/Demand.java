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
    private volatile Gate gate;

    /** The entrance for messages; any thread. */
    interface Gate {
        /** Called when no more messages must be taken. */
        void close();

        /** Called when messages may be taken again. */
        void open();
    }

    /** Requests more messages. */
    void add(long count) {
        long before = requested.getAndAccumulate(count, Demand::sum);
        if (before == 0 && gate != null) {
            gate.open();
        }
    }

    private static long sum(long before, long count) {
        return count >= UNLIMITED - before ? UNLIMITED : before + count;
    }

    /** Returns a handler that uses up the demand. The gate is open or closed accordingly when this method returns. */
    MessageHandler limit(MessageHandler handler, Gate newGate) {
        gate = newGate;
        closeUnlessRequested();
        return message -> {
            handler.onMessage(message);
            if (requested.updateAndGet(Demand::less) == 0) {
                closeUnlessRequested();
            }
        };
    }

    private static long less(long before) {
        return before == UNLIMITED ? UNLIMITED : before - 1;
    }

    private void closeUnlessRequested() {
        gate.close();
        if (requested.get() > 0) { // the request may have come before the gate was closed
            gate.open();
        }
    }
}
