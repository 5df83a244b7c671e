package io.rocketbufs.benchmarks.compare;

/**
 * The duration of a measurement.
 *
 * @param warmupMs duration of the warm-up in milliseconds
 * @param durationMs duration of the measured part in milliseconds
 */
public record Span(long warmupMs, long durationMs) {
    private static final double SECOND_MS = 1e3;

    /** Returns the duration of the measured part in seconds. */
    public double seconds() {
        return durationMs / SECOND_MS;
    }
}
