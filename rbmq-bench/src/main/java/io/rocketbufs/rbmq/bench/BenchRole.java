package io.rocketbufs.rbmq.bench;

/** What a benchmark's publishers, or its subscribers, in one process do together. */
public interface BenchRole {
    /** True when messages flow. */
    boolean hasStarted();

    /** Begins the measurement. */
    void begin();

    /** Ends the measurement. */
    void end();

    /** Messages since the start. */
    long count();
}
