package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.util.List;

/**
 * A broker with the clients that load it.
 *
 * <p><b>Thread-safety:</b> one thread.
 */
interface Contender extends AutoCloseable {
    /** Returns a short name, the same in every table. */
    String name();

    /** Returns the product with its version. */
    String version() throws IOException, InterruptedException;

    /** Returns the settings that affect the results. */
    String settings();

    /** Returns true when it takes part in the experiment. */
    boolean takesPartIn(Experiment experiment);

    /** Returns the ways to load it in this cell, of which the best counts. */
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
