package io.rocketbufs.benchmarks.compare;

import picocli.CommandLine.Option;

/** The options that determine how often and how long a comparison measures. */
public final class PlanOptions {
    @Option(
            names = "--repetitions",
            paramLabel = "N",
            description = "Number of times that each measurement is repeated; ${DEFAULT-VALUE} by default.")
    private int repetitions = 5;

    @Option(
            names = "--duration",
            paramLabel = "MS",
            description =
                    "Duration of each measurement in milliseconds, excluding the warm-up; ${DEFAULT-VALUE} by default.")
    private long durationMs;

    /** @param durationMs default duration of a measurement in milliseconds */
    public PlanOptions(long durationMs) {
        this.durationMs = durationMs;
    }

    /** Returns the number of times that each measurement is repeated. */
    public int repetitions() {
        return repetitions;
    }

    /** Returns the duration of each measurement in milliseconds. */
    public long durationMs() {
        return durationMs;
    }
}
