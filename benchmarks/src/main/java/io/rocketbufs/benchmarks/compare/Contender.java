package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.util.List;

/**
 * A broker together with the clients that generate its load.
 *
 * <p><b>Thread-safety:</b> used by one thread.
 */
public interface Contender extends AutoCloseable {
    /** Returns a short name, which is the same in every table. */
    String name();

    /** Returns the product's name and version. */
    String version() throws IOException, InterruptedException;

    /** Returns the settings that affect the results. */
    String settings();

    /** Returns whether this contender is measured in the cell. */
    boolean takesPartIn(Cell cell);

    /** Returns the loads to try in this cell. The measurements use the load with the highest throughput. */
    List<Load> loads(Cell cell);

    /**
     * Performs one measurement: starts the clients, runs them for the given time, and stops them.
     *
     * @throws IOException if a program fails; the message names the program and the reason
     */
    Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException;

    /**
     * Returns the estimated time in milliseconds that measurements in a cell take, including startup and warm-up.
     *
     * @param count number of measurements
     */
    long estimateMs(Cell cell, Span span, int count);

    /** Returns additional remarks about the measurements for the report; empty if there are none. */
    default String remarks() {
        return "";
    }

    /** Ends the broker. */
    @Override
    void close() throws IOException;
}
