package io.rocketbufs.livestream.page;

/**
 * The rate of a counter over the most recent readings. A counter that is lower than at the previous reading has been
 * restarted and counts as unchanged.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
final class Meter {
    /**
     * Number of readings in the window. Chunks arrive only every few seconds, so a shorter window would show bursts.
     */
    static final int READINGS = 10;

    private static final double SECOND_NS = 1e9;

    private final long[] growths = new long[READINGS];
    private final long[] timesNs = new long[READINGS];
    private long last;
    private long lastNs;
    private int count;

    /** Creates a meter of a counter that had the given value at the given time. */
    Meter(long value, long nowNs) {
        last = value;
        lastNs = nowNs;
    }

    /** Adds a reading and returns by how much the counter has grown since the previous reading. */
    long add(long value, long nowNs) {
        int index = count++ % READINGS;
        growths[index] = Math.max(0, value - last);
        timesNs[index] = nowNs - lastNs;
        last = value;
        lastNs = nowNs;
        return growths[index];
    }

    /** Returns by how much the counter has grown within the window. */
    long growth() {
        long sum = 0;
        for (long each : growths) {
            sum += each;
        }
        return sum;
    }

    /** Returns the length of the window in nanoseconds; 0 before the first reading. */
    long windowNs() {
        long sum = 0;
        for (long each : timesNs) {
            sum += each;
        }
        return sum;
    }

    /** Returns the growth per second; null before the first reading. */
    Double rate() {
        long windowNs = windowNs();
        return windowNs == 0 ? null : growth() * SECOND_NS / windowNs;
    }
}
