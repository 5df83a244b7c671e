package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A buffer that waits for the credit of a {@link ConnectionCredit}; also a node in the list of waiting buffers.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public abstract class CreditWaiter {
    private final AtomicBoolean listed = new AtomicBoolean();
    /** The next waiter in the list; written by the thread that adds this waiter. */
    CreditWaiter next;

    /** Called, on any thread, when credit is available again. */
    protected abstract void onCredit();

    /** Marks this waiter as waiting; returns true if the caller must add it to the list. */
    final boolean begin() {
        return !listed.get() && listed.compareAndSet(false, true);
    }

    /** Records that this waiter is not in the list. */
    final void end() {
        listed.set(false);
    }
}
