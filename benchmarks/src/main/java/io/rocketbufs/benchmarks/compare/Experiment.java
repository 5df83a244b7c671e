package io.rocketbufs.benchmarks.compare;

/** A kind of measurement. {@code toString} returns its name on the command line. */
public interface Experiment {
    /** Returns the text that distinguishes a cell from the other cells of this experiment. */
    String describe(Cell cell);
}
