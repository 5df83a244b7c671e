package io.rocketbufs.rbmq.client;

/**
 * Lets threads wait until it is worth trying again.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SpaceSignal {
    private long count;

    /** Wakes all who wait. */
    synchronized void tell() {
        count++;
        notifyAll();
    }

    /** Number of the last signal; ask before trying, so that none is missed. */
    synchronized long last() {
        return count;
    }

    /** Waits until there is a newer signal than {@code seen}, or the time is over. */
    synchronized void await(long seen, long timeoutMs) throws InterruptedException {
        if (count == seen) {
            wait(timeoutMs);
        }
    }
}
