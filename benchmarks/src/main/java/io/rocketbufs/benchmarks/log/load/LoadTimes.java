package io.rocketbufs.benchmarks.log.load;

import org.HdrHistogram.Histogram;

/** The measured times of a worker. */
final class LoadTimes {
    private static final long HIGHEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    private LoadTimes() {}

    /** Returns an empty histogram of nanoseconds. */
    static Histogram histogram() {
        Histogram histogram = new Histogram(HIGHEST_NS, DIGITS);
        histogram.setAutoResize(true);
        return histogram;
    }
}
