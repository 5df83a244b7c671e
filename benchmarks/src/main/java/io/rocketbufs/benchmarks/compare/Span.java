package io.rocketbufs.benchmarks.compare;

/**
 * The duration of a measurement.
 *
 * @param warmupMs milliseconds before the measured part
 * @param durationMs milliseconds of the measured part
 */
record Span(long warmupMs, long durationMs) {
    private static final double SECOND_MS = 1e3;

    /** Returns the duration of the measured part in seconds. */
    double seconds() {
        return durationMs / SECOND_MS;
    }
}
