package io.rocketbufs.rbmq.client;

/**
 * A signal that threads wait for before they try to reserve space again.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SpaceSignal {
    private long count;

    /** Wakes all waiting threads. */
    synchronized void tell() {
        count++;
        notifyAll();
    }

    /**
     * Returns the number of the last signal. Callers read it before they try to reserve space, so that they do not miss
     * a signal.
     */
    synchronized long last() {
        return count;
    }

    /** Waits until there is a newer signal than {@code seen}, or the timeout expires. */
    synchronized void await(long seen, long timeoutMs) throws InterruptedException {
        if (count == seen) {
            wait(timeoutMs);
        }
    }
}
