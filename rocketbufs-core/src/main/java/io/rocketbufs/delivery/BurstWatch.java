package io.rocketbufs.delivery;

/**
 * Tells whether a producer shall write for itself, which saves a wake-up, or leave it to the worker, who sends in one
 * write what gathers meanwhile.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token.
 */
final class BurstWatch {
    /** Writes in a row, each followed by the next sooner than it took, until the worker takes over. */
    static final int HURRIED_WRITES = 4;
    /** Deliveries that must gather while the worker sends, so that waking it is worth more than a write of each. */
    static final int WORTH_A_WAKEUP = 4;

    /** When the producer was done with what it delivered last. */
    private long doneNs = System.nanoTime();
    /** How long its last write took. */
    private long writeNs;

    private int hurried;

    /**
     * Takes note of what is delivered at this time, after so many that found the worker sending; true when it belongs
     * to a burst, and the worker shall send it.
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

    /** The producer has written for itself. */
    void wrote(long startNs, long endNs) {
        writeNs = endNs - startNs;
        doneNs = endNs;
    }
}
