package io.rocketbufs.rocketlog.broker;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The producers whose results must wait until the disk has stored the records. Each flush calls all of these producers,
 * because one flush usually makes the records of all of them durable.
 *
 * <p><i>Thread-safety:</i> any thread. Adding allocates nothing.
 */
final class DurabilityWaits {
    private final AtomicReference<Waiter> newest = new AtomicReference<>();

    /** An object that waits for a flush. */
    abstract static class Waiter extends AppendTurn.Waiter {
        private final AtomicBoolean isAdded = new AtomicBoolean();
        private Waiter next;

        /** Called by any thread after a flush, or after a log has failed. Must not block. */
        abstract void onFlushed();
    }

    /**
     * Adds a waiter, which the next call of {@link #wake} removes and calls. The caller must then check its condition
     * once more, because a flush may have just completed.
     */
    void add(Waiter waiter) {
        if (waiter.isAdded.compareAndSet(false, true)) {
            Waiter former;
            do {
                former = newest.get();
                waiter.next = former;
            } while (!newest.compareAndSet(former, waiter));
        }
    }

    /** Removes and calls all waiters. */
    void wake() {
        Waiter waiter = newest.get() == null ? null : newest.getAndSet(null);
        while (waiter != null) {
            Waiter after = waiter.next;
            waiter.next = null;
            waiter.isAdded.set(false);
            waiter.onFlushed();
            waiter = after;
        }
    }
}
