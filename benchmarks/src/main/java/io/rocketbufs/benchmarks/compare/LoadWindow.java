package io.rocketbufs.benchmarks.compare;

/**
 * The time window of a measurement. It begins and ends while the workers run.
 *
 * <p><b>Thread-safety:</b> any thread may read it; a single thread begins and ends it.
 */
public final class LoadWindow {
    private static final int BEFORE = 0;
    private static final int OPEN = 1;
    private static final int AFTER = 2;

    private volatile int state = BEFORE;

    /** Begins the measurement. */
    public void begin() {
        state = OPEN;
    }

    /** Ends the measurement. */
    public void end() {
        state = AFTER;
    }

    /** Returns whether results currently count. */
    public boolean isOpen() {
        return state == OPEN;
    }

    /** Returns whether the workers must stop. */
    public boolean isOver() {
        return state == AFTER;
    }
}
