package io.rocketbufs.rbmq.bench;

/** All publishers or all subscribers of a benchmark in one process. */
public interface BenchRole {
    /** Returns true once messages are flowing. */
    boolean hasStarted();

    /** Starts the measurement. */
    void begin();

    /** Ends the measurement. */
    void end();

    /** Returns the number of messages since the start. */
    long count();
}
