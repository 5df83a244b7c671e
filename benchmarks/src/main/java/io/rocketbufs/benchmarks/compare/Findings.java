package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The parts of a report that depend on the experiments. */
public interface Findings {
    /**
     * Appends the tables that have results.
     *
     * @param subject the contender that is compared with all others
     */
    void write(Results results, String subject, StringBuilder text);

    /** Returns all targets that the results cover. */
    List<Target> targets(Results results, String subject);

    /** Writes the plots into a folder. Returns the names of the SVG files. */
    List<String> plots(Results results, Path folder) throws IOException;
}
