package io.rocketbufs.link;

/**
 * The rule that decides whether a producer writes on its own thread or leaves the writing to the worker. Writing on the
 * producer's thread saves a wake-up; the worker combines all accumulated deliveries into one write.
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
     * Minimum number of deliveries that count as a burst if they accumulate while the worker is sending. With fewer,
     * waking the worker would cost more than a separate write for each delivery.
     */
    static final int WORTH_A_WAKEUP = 4;

    /** Time when the producer finished its last delivery. */
    private long doneNs = System.nanoTime();
    /** Duration of the last write on the producer's thread. */
    private long writeNs;

    private int hurried;

    /**
     * Records a delivery; returns true when it belongs to a burst, which is left to the worker.
     *
     * @param gathered number of earlier deliveries made while the worker was sending
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
