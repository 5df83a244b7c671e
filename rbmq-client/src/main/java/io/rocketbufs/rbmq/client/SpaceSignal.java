package io.rocketbufs.rbmq.client;

/**
 * A signal that there may be space in a topic's buffer again. It wakes the threads that wait for space, and ends
 * back-pressure, about which the application is notified.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
final class SpaceSignal {
    private final BackPressure backPressure;
    private long count;
    /** True when a thread has read {@link #last} since the last signal. */
    private volatile boolean awaited;

    /**
     * Creates a signal.
     *
     * @param backPressure receives refusals and signals; null for none
     */
    SpaceSignal(BackPressure backPressure) {
        this.backPressure = backPressure;
    }

    /** Wakes all waiting threads and ends back-pressure. */
    synchronized void tell() {
        count++;
        awaited = false;
        notifyAll();
        if (backPressure != null) {
            backPressure.end();
        }
    }

    /**
     * Returns the number of the last signal. Callers must read it before they try to reserve space, so that they do not
     * miss a signal.
     */
    synchronized long last() {
        awaited = true;
        return count;
    }

    /** Returns true if a signal would wake a thread or end back-pressure. */
    boolean isAwaited() {
        return awaited;
    }

    /** Returns true if {@link #refused} must be called because it would start back-pressure. */
    boolean wantsRefusal() {
        return backPressure != null && !backPressure.isOn();
    }

    /**
     * Called after an attempt to reserve space has failed. Starts back-pressure, unless there is a newer signal than
     * {@code seen}, which was read before the attempt.
     *
     * @return false if there is a newer signal, so that another attempt may succeed
     */
    synchronized boolean refused(long seen) {
        if (count != seen) {
            return false;
        }
        if (backPressure != null) {
            backPressure.begin();
        }
        return true;
    }

    /** Waits until there is a newer signal than {@code seen}, or the timeout expires. */
    synchronized void await(long seen, long timeoutMs) throws InterruptedException {
        if (count == seen) {
            wait(timeoutMs);
        }
    }
}
