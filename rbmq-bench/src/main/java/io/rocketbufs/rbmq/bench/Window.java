package io.rocketbufs.rbmq.bench;

/**
 * The time span over which a rate is measured, with the count and the time at its beginning and at its end.
 *
 * <p><b>Thread-safety:</b> one thread calls {@link #begin} and {@link #end}; another thread may read the rate after
 * synchronizing with that thread.
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

    /** Returns the rate per second; 0 if the span is empty. */
    double perSecond() {
        return ended && endNs > beginNs ? (endCount - beginCount) * SECOND_NS / (endNs - beginNs) : 0;
    }
}
