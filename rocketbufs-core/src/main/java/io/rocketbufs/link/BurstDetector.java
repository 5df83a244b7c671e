package io.rocketbufs.link;

/**
 * Decides whether a producer writes on its own thread, which saves a wake-up, or leaves the writing to the worker,
 * which sends in one write the deliveries that gather in the meantime.
 *
 * <p><b>Thread-safety:</b> under the {@link Sender}'s token.
 */
final class BurstDetector {
    /**
     * Number of consecutive hurried writes after which the worker takes over. A write is hurried if the next delivery
     * follows in less time than the write took.
     */
    static final int HURRIED_WRITES = 4;
    /**
     * Deliveries that must gather while the worker sends for its wake-up to cost less than one write for each delivery.
     */
    static final int WORTH_A_WAKEUP = 4;

    /** Time at which the producer finished its last delivery. */
    private long doneNs = System.nanoTime();
    /** Duration of its last write. */
    private long writeNs;

    private int hurried;

    /**
     * Records a delivery; returns true when it belongs to a burst, which the worker sends.
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

    /** Records that the producer has written on its own thread. */
    void wrote(long startNs, long endNs) {
        writeNs = endNs - startNs;
        doneNs = endNs;
    }
}
