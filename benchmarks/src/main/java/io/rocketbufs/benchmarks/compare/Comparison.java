package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;

/** One run of a comparison. It measures all contenders and writes the report, even if the run ends early. */
public final class Comparison {
    private static final int FAILED = 1;

    private final Findings findings;
    private final String subject;
    private final Output output;
    private final ForeignLoad foreignLoad;
    private final Map<String, Object> facts = new LinkedHashMap<>();

    /**
     * The destination of the results.
     *
     * @param folder folder for the result files; null for a folder named comparison-DATE
     * @param json whether the results are also printed as one JSON object
     * @param results stream for the report's name and the JSON object
     * @param progress stream for progress messages
     */
    public record Output(Path folder, boolean json, PrintStream results, PrintStream progress) {}

    /** Creates the contenders. */
    @FunctionalInterface
    public interface Contenders {
        /**
         * Creates the contenders.
         *
         * @param folder folder for the programs' files, which is deleted after the run
         */
        List<Contender> in(Path folder) throws IOException, InterruptedException;
    }

    /**
     * Creates a comparison.
     *
     * @param subject name of the contender that is compared with all others
     */
    public Comparison(Findings findings, String subject, Output output) {
        this(findings, subject, output, new ForeignLoad());
    }

    Comparison(Findings findings, String subject, Output output, ForeignLoad foreignLoad) {
        this.findings = findings;
        this.subject = subject;
        this.output = output;
        this.foreignLoad = foreignLoad;
    }

    /** Adds a line to the report. Returns this object. */
    public Comparison withFact(String name, String value) {
        facts.put(name, value);
        return this;
    }

    /**
     * Measures all cells and writes the report.
     *
     * @throws IOException if a measurement fails; the report then covers all earlier cells
     */
    public void run(Contenders contenders, Plan plan) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("bench-compare");
        List<Contender> created = List.of();
        try {
            created = contenders.in(folder);
            measure(created, plan);
        } finally {
            for (Contender contender : created) {
                contender.close();
            }
            delete(folder);
        }
    }

    private void measure(List<Contender> contenders, Plan plan) throws IOException, InterruptedException {
        facts.put("date", LocalDate.now().toString());
        facts.put("machine", Machine.here().toString());
        for (Contender contender : contenders) {
            facts.put(contender.name(), contender.version() + "; " + contender.settings());
        }
        Campaign campaign =
                new Campaign(contenders, plan.span(), plan.trial(), plan.repetitions(), foreignLoad, output.progress());
        try {
            campaign.run(plan.cells());
        } catch (IOException e) {
            facts.put("ended early", e.getMessage());
            throw e;
        } finally {
            for (Contender contender : contenders) {
                if (!contender.remarks().isEmpty()) {
                    facts.put(contender.name() + ", measured", contender.remarks());
                }
            }
            report(campaign);
        }
    }

    /** Writes the results even if they are incomplete, because the measurements may have taken hours. */
    private void report(Campaign campaign) throws IOException {
        if (campaign.runs().isEmpty()) {
            return;
        }
        facts.put("disturbed and repeated", campaign.discarded());
        Path folder = output.folder() == null ? Path.of("comparison-" + LocalDate.now()) : output.folder();
        Report report = new Report(new Results(campaign.runs()), facts, subject, findings);
        report.write(folder);
        output.results().println("report: " + folder.resolve("report.md"));
        if (output.json()) {
            output.results().println(report.json());
        }
    }

    /** Runs a comparison command. Returns its exit code, which is 1 on failure. */
    public static int execute(Callable<Integer> command, String[] arguments) {
        return new CommandLine(command)
                .setErr(new PrintWriter(System.err, true))
                .setExecutionExceptionHandler((failure, line, result) -> {
                    System.err.println("bench: " + failure.getMessage());
                    return FAILED;
                })
                .execute(arguments);
    }

    /** Deletes a folder and its contents. */
    public static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
