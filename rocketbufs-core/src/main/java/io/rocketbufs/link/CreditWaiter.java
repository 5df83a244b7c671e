package io.rocketbufs.link;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A buffer that waits for the credit of a {@link ConnectionCredit}, and a node of the list of such buffers.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public abstract class CreditWaiter {
    private final AtomicBoolean listed = new AtomicBoolean();
    /** The next one in the list; written by the thread that adds this one. */
    CreditWaiter next;

    /** Called, on any thread, when there is credit again. */
    protected abstract void onCredit();

    /** Returns true when the caller must add this waiter to the list. */
    final boolean begin() {
        return !listed.get() && listed.compareAndSet(false, true);
    }

    /** Records that this waiter is not in the list. */
    final void end() {
        listed.set(false);
    }
}
