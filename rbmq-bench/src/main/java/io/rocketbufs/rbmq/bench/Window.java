package io.rocketbufs.rbmq.bench;

/**
 * The span of time over which a rate is taken: a count and a time at its begin and its end.
 *
 * <p><b>Thread-safety:</b> one thread marks, after which any that it tells may read.
 */
final class Window {
    private static final double SECOND_NS = 1e9;

    private final Counter counter;
    private boolean begun;
    private boolean ended;
    private long beginNs;
    private long beginCount;
    private long endNs;
    private long endCount;

    Window(Counter counter) {
        this.counter = counter;
    }

    void begin() {
        begun = true;
        beginNs = System.nanoTime();
        beginCount = counter.get();
    }

    void end() {
        if (begun && !ended) {
            ended = true;
            endNs = System.nanoTime();
            endCount = counter.get();
        }
    }

    /** 0 when there was no such span. */
    double perSecond() {
        return ended && endNs > beginNs ? (endCount - beginCount) * SECOND_NS / (endNs - beginNs) : 0;
    }
}
