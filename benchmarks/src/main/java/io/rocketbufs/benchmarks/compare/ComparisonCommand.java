package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.Packages;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A command of {@code bin/bench} that compares contenders in one run on this machine. */
@Command(mixinStandardHelpOptions = true, usageHelpWidth = 100)
public abstract class ComparisonCommand implements Callable<Integer> {
    private static final int DONE = 0;
    /** Exit code if a prerequisite of the measurements is missing. */
    private static final int MISSING = 69;

    @Mixin
    private final PlanOptions measured;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    private final Path home = Path.of(System.getProperty("bench.home"));
    private final PrintStream progress = System.err;

    /** @param durationMs default duration of a measurement in milliseconds */
    protected ComparisonCommand(long durationMs) {
        this.measured = new PlanOptions(durationMs);
    }

    /**
     * Runs the command and exits this program with the command's exit code. The system property {@code bench.home} is
     * the folder of the checkout.
     */
    protected static void exit(ComparisonCommand command, String[] arguments) {
        System.exit(Comparison.execute(command, arguments));
    }

    @Override
    public final Integer call() throws Exception {
        return compare() ? DONE : MISSING;
    }

    /**
     * Measures and writes the report. If a prerequisite is missing, prints a message that names it and returns false.
     */
    protected abstract boolean compare() throws Exception;

    /** Returns the folder of the checkout. */
    protected final Path home() {
        return home;
    }

    /** Prints a progress message. */
    protected final void say(String message) {
        progress.println("bench: " + message);
    }

    /**
     * Returns whether packages are installed. If not, prints how to install them.
     *
     * @param otherwise text that states what the user can do instead of installing them
     */
    protected final boolean hasPackages(List<String> packages, String otherwise) {
        List<String> missing = Packages.missing(packages);
        if (!missing.isEmpty()) {
            say(Packages.remedy(missing) + " (or " + otherwise + ")");
        }
        return missing.isEmpty();
    }

    /** Returns a comparison of a subject with all other contenders. */
    protected final Comparison comparison(Findings findings, Object subject) {
        return new Comparison(findings, subject.toString(), report.output(System.out, progress));
    }

    /** Returns a plan with the duration and repetitions requested by the user. */
    protected final Plan plan(List<Cell> cells, long warmupMs, Span trial) {
        return new Plan(cells, new Span(warmupMs, measured.durationMs()), trial, measured.repetitions());
    }
}
