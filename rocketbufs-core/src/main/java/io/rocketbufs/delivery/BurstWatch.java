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

    private long writeEndNs = System.nanoTime();
    private long writeNs;
    private int hurried;

    /** Whether what is delivered at this time, after so many that found the worker sending, belongs to a burst. */
    boolean isBurst(int gathered, long nowNs) {
        if (gathered >= WORTH_A_WAKEUP) {
            return true;
        }
        hurried = nowNs - writeEndNs < writeNs ? hurried + 1 : 0;
        if (hurried < HURRIED_WRITES) {
            return false;
        }
        hurried = 0;
        return true;
    }

    /** The producer has written for itself. */
    void wrote(long startNs, long endNs) {
        writeNs = endNs - startNs;
        writeEndNs = endNs;
    }
}
