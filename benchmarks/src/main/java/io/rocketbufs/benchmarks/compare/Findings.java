package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The parts of a report that depend on the experiments. */
public interface Findings {
    /**
     * Appends all tables for which there are results.
     *
     * @param subject name of the contender that is compared with all others
     */
    void write(Results results, String subject, StringBuilder text);

    /** Returns all targets covered by the results. */
    List<Target> targets(Results results, String subject);

    /** Writes the plots into a folder. Returns the names of the SVG files. */
    List<String> plots(Results results, Path folder) throws IOException;
}
