package io.rocketbufs.benchmarks.compare;

import org.HdrHistogram.Histogram;

/** The histograms for times measured by workers. */
public final class LoadTimes {
    private static final long HIGHEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    private LoadTimes() {}

    /** Returns an empty histogram for times in nanoseconds. */
    public static Histogram histogram() {
        Histogram histogram = new Histogram(HIGHEST_NS, DIGITS);
        histogram.setAutoResize(true);
        return histogram;
    }
}
