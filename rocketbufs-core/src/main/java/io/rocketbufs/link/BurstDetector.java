package io.rocketbufs.link;

/**
 * The rule that decides whether a producer writes on its own thread or leaves the writing to the worker. Writing on the
 * producer's thread saves a wake-up, whereas the worker combines all accumulated deliveries into one write.
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
     * Minimum number of deliveries that form a burst if they accumulate while the worker is sending. For fewer
     * deliveries, waking the worker would cost more than writing each delivery separately.
     */
    static final int WORTH_A_WAKEUP = 4;

    /** Time when the producer finished its last delivery. */
    private long doneNs = System.nanoTime();
    /** Duration of the last write on the producer's thread. */
    private long writeNs;

    private int hurried;

    /**
     * Records a delivery; returns true if it belongs to a burst. The caller must leave a burst to the worker.
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

    /** Records a write on the producer's own thread. */
    void wrote(long startNs, long endNs) {
        writeNs = endNs - startNs;
        doneNs = endNs;
    }
}
