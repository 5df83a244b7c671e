package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.util.List;

/**
 * A broker with the clients that load it.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
interface Contender extends AutoCloseable {
    /** A short name, the same in every table. */
    String name();

    /** What it is, with its version. */
    String version() throws IOException, InterruptedException;

    /** The settings that matter. */
    String settings();

    /** Whether it is measured there. */
    boolean takesPartIn(Experiment experiment);

    /** The ways to load it in this cell, of which the best counts. */
    List<Load> loads(Cell cell);

    /**
     * Measures once: starts clients, lets them run, and ends them.
     *
     * @throws IOException naming the program that failed, and the reason
     */
    Measurement measure(Cell cell, Load load, Span span) throws IOException, InterruptedException;

    /** Ends the broker. */
    @Override
    void close() throws IOException;
}
