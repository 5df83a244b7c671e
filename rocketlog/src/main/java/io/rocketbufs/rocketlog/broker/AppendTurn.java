package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The right to append to a partition, called the partition's turn. One thread at a time holds the turn, and no appender
 * blocks while it waits. If the turn is taken, the appender leaves its data in place and is called when the turn is
 * free.
 *
 * <pre>
 *                 enter: true                     enter of others: false
 *   FREE  ----------------------------&gt;  TAKEN  ---------------------------&gt;  waiter -&gt; waiter -&gt; TAKEN
 *    ^                                     |                                            |
 *    +-------------------------------------+------------- exit: calls all waiters ------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread. Actions of the thread that holds the turn happen-before those of the next thread
 * that acquires it.
 */
final class AppendTurn {
    private static final Waiter FREE = new Mark();
    private static final Waiter TAKEN = new Mark();

    private final AtomicReference<Waiter> state = new AtomicReference<>(FREE);

    /** An appender, which can wait for at most one turn at a time. */
    abstract static class Waiter {
        private Waiter next;

        /**
         * Called once, by any thread, after {@link AppendTurn#enter} returned false. Must neither block nor enter a
         * turn.
         */
        abstract void onTurn();
    }

    /** A marker that represents a state of the turn; it is never called. */
    private static final class Mark extends Waiter {
        @Override
        void onTurn() {
            throw new IllegalStateException("a state does not wait");
        }
    }

    /**
     * Acquires the turn if it is free.
     *
     * @return true if the caller now holds the turn and must call {@link #exit}; false if the waiter will be called
     *     when it should try again
     */
    boolean enter(Waiter waiter) {
        while (true) {
            Waiter current = state.get();
            if (current == FREE) {
                if (state.compareAndSet(FREE, TAKEN)) {
                    return true;
                }
            } else {
                waiter.next = current;
                if (state.compareAndSet(current, waiter)) {
                    return false;
                }
            }
        }
    }

    /** Acquires the turn if it is free. Otherwise returns false, without registering a waiter. */
    boolean tryEnter() {
        return state.compareAndSet(FREE, TAKEN);
    }

    /** Returns true if the turn is taken and at least one waiter is waiting for it. */
    boolean isAwaited() {
        Waiter current = state.get();
        return current != FREE && current != TAKEN;
    }

    /** Releases the turn, and calls all waiters in the order in which they started to wait. */
    void exit() {
        call(state.getAndSet(FREE));
    }

    /** Calls all waiters without releasing the turn, because they can now append in another way. */
    void callWaiters() {
        Waiter last = state.get();
        while (last != FREE && !state.compareAndSet(last, TAKEN)) {
            last = state.get();
        }
        if (last != FREE) {
            call(last);
        }
    }

    private static void call(Waiter newest) {
        Waiter last = newest;
        Waiter first = TAKEN;
        while (last != TAKEN) { // reverses the order
            Waiter before = last.next;
            last.next = first;
            first = last;
            last = before;
        }
        while (first != TAKEN) {
            Waiter after = first.next; // read first: once called, the waiter may enter another turn
            first.next = null;
            first.onTurn();
            first = after;
        }
    }

    /** Acquires the turn permanently, which prevents all further appends. Blocks until the turn is free. */
    void close() {
        while (true) {
            CountDownLatch called = new CountDownLatch(1);
            Waiter closing = new Waiter() {
                @Override
                void onTurn() {
                    called.countDown();
                }
            };
            if (enter(closing)) {
                return;
            }
            awaitUninterruptibly(called);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean wasInterrupted = false;
        while (true) {
            try {
                latch.await();
                break;
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
