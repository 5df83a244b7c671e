package io.rocketbufs.benchmarks.compare;

/**
 * How long a measurement takes.
 *
 * @param warmupMs before it counts
 * @param durationMs while it counts
 */
record Span(long warmupMs, long durationMs) {
    private static final double SECOND_MS = 1e3;

    /** Seconds while it counts. */
    double seconds() {
        return durationMs / SECOND_MS;
    }
}
