package io.rocketbufs.benchmarks.compare;

import java.io.IOException;

/** What processes that are not ours use of the processors, in a span. */
class ForeignLoad {
    private static final double SECOND_NS = 1e9;

    private double beginSeconds;
    private long beginNs;

    /** Begins the span. */
    void begin() throws IOException {
        beginSeconds = foreignSeconds();
        beginNs = System.nanoTime();
    }

    /** Processors that others have kept busy since its begin. */
    double cores() throws IOException {
        return (foreignSeconds() - beginSeconds) / ((System.nanoTime() - beginNs) / SECOND_NS);
    }

    private static double foreignSeconds() throws IOException {
        return Processor.busySeconds() - Processor.ownSeconds();
    }
}
