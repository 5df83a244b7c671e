package io.rocketbufs.benchmarks.compare;

/**
 * The time of a measurement. It begins and ends while the workers run.
 *
 * <p><b>Thread-safety:</b> any thread; one of them begins and ends.
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

    /** Returns true while results count. */
    public boolean isOpen() {
        return state == OPEN;
    }

    /** Returns true if the workers must stop. */
    public boolean isOver() {
        return state == AFTER;
    }
}
