package io.rocketbufs.benchmarks.compare;

import java.io.PrintStream;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options that determine where the results of a comparison are written. */
public final class ReportOptions {
    @Option(names = "--json", description = "Print the results as one JSON object in the last line of the output.")
    private boolean json;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for the result files; comparison-DATE by default.")
    private Path out;

    /** Returns the output for the given streams for results and progress messages. */
    public Comparison.Output output(PrintStream results, PrintStream progress) {
        return new Comparison.Output(out, json, results, progress);
    }
}
