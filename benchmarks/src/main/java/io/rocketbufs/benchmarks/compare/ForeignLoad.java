package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** The processor use of processes outside the benchmark, measured over a period of time. */
class ForeignLoad {
    private static final double SECOND_NS = 1e9;
    private static final long LOOK_NS = 1_000_000_000;
    /** Maximum number of polls, which take a total of ten minutes. */
    private static final int LOOKS = 600;

    private double beginSeconds;
    private long beginNs;

    /** Begins the period. */
    void begin() throws IOException {
        beginSeconds = foreignSeconds();
        beginNs = System.nanoTime();
    }

    /**
     * Waits until other processes use at most {@code limit} processors. Returns false if this takes longer than ten
     * minutes.
     */
    boolean awaitQuiet(double limit) throws IOException {
        for (int i = 0; i < LOOKS; i++) {
            begin();
            LockSupport.parkNanos(LOOK_NS);
            if (cores() <= limit) {
                return true;
            }
        }
        return false;
    }

    /** Returns the number of processors that other processes have kept busy since the start of the period. */
    double cores() throws IOException {
        return (foreignSeconds() - beginSeconds) / ((System.nanoTime() - beginNs) / SECOND_NS);
    }

    private static double foreignSeconds() throws IOException {
        return Processor.busySeconds() - Processor.ownSeconds();
    }
}
