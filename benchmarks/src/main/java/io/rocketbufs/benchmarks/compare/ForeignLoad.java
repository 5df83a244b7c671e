package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/** The processor use of processes outside the benchmark during a span. */
class ForeignLoad {
    private static final double SECOND_NS = 1e9;
    private static final long LOOK_NS = 1_000_000_000;
    /** Ten minutes of polling. */
    private static final int LOOKS = 600;

    private double beginSeconds;
    private long beginNs;

    /** Begins the span. */
    void begin() throws IOException {
        beginSeconds = foreignSeconds();
        beginNs = System.nanoTime();
    }

    /** Waits, with a time limit, until other processes leave the processors idle; returns true if they do. */
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

    /** Returns the number of processors that other processes have kept busy since the span began. */
    double cores() throws IOException {
        return (foreignSeconds() - beginSeconds) / ((System.nanoTime() - beginNs) / SECOND_NS);
    }

    private static double foreignSeconds() throws IOException {
        return Processor.busySeconds() - Processor.ownSeconds();
    }
}
