package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The right to append to one partition, which one thread has at a time. No thread ever blocks for it: a waiter that
 * finds the turn taken leaves its data where it is, and is called when the turn is free.
 *
 * <pre>
 *                 enter: true                     enter of others: false
 *   FREE  ----------------------------&gt;  TAKEN  ---------------------------&gt;  waiter -&gt; waiter -&gt; TAKEN
 *    ^                                     |                                            |
 *    +-------------------------------------+------------- exit: calls all waiters ------+
 * </pre>
 *
 * <p><i>Thread-safety:</i> any thread; the actions of a thread in its turn happen before the next turn.
 */
final class AppendTurn {
    private static final Waiter FREE = new Mark();
    private static final Waiter TAKEN = new Mark();

    private final AtomicReference<Waiter> state = new AtomicReference<>(FREE);

    /** An appender. It waits for at most one turn at a time. */
    abstract static class Waiter {
        private Waiter next;

        /** Called once after a refused {@link AppendTurn#enter}, by any thread; must neither block nor enter. */
        abstract void onTurn();
    }

    /** A marker for a state of the turn. It is never called. */
    private static final class Mark extends Waiter {
        @Override
        void onTurn() {
            throw new IllegalStateException("a state does not wait");
        }
    }

    /**
     * Takes the turn if it is free.
     *
     * @return true if the caller now has the turn and must {@link #exit}; false if the waiter will be called when it is
     *     worth trying again
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

    /** Takes the turn if it is free. Returns false, and calls nothing later, if it is not. */
    boolean tryEnter() {
        return state.compareAndSet(FREE, TAKEN);
    }

    /** Returns true if the turn is taken and a waiter waits for it. */
    boolean isAwaited() {
        Waiter current = state.get();
        return current != FREE && current != TAKEN;
    }

    /** Releases the turn, and calls all waiters, the longest-waiting one first. */
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
            Waiter after = first.next; // the waiter may enter another turn as soon as it is called
            first.next = null;
            first.onTurn();
            first = after;
        }
    }

    /** Takes the turn permanently: waits until it is free, and prevents all further appends. */
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
