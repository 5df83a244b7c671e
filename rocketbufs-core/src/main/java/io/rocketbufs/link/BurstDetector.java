package io.rocketbufs.link;

/**
 * Decides whether a producer writes for itself, which saves a wake-up, or leaves the writing to the worker, which sends
 * in one write what gathers in the meantime.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token.
 */
final class BurstDetector {
    /** Writes in a row, each followed by the next sooner than it took, until the worker takes over. */
    static final int HURRIED_WRITES = 4;
    /** Deliveries that must gather while the worker sends, so that waking it is worth more than a write of each. */
    static final int WORTH_A_WAKEUP = 4;

    /** When the producer had finished its last delivery. */
    private long doneNs = System.nanoTime();
    /** How long its last write took. */
    private long writeNs;

    private int hurried;

    /**
     * Notes a delivery; returns true when it belongs to a burst, which the worker sends.
     *
     * @param gathered earlier deliveries that found the worker sending
     */
    boolean isBurst(long gathered, long nowNs) {
        if (gathered >= WORTH_A_WAKEUP) {
            hurried = HURRIED_WRITES;
        } else if (nowNs - doneNs >= writeNs) {
            hurried = 0;
        } else if (hurried < HURRIED_WRITES) {
            hurried++;
        }
        doneNs = nowNs;
        return hurried == HURRIED_WRITES;
    }

    /** Notes that the producer has written for itself. */
    void wrote(long startNs, long endNs) {
        writeNs = endNs - startNs;
        doneNs = endNs;
    }
}
