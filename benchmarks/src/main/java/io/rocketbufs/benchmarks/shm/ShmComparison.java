package io.rocketbufs.benchmarks.shm;

import io.rocketbufs.benchmarks.Machine;
import io.rocketbufs.benchmarks.Packages;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Comparison;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Plan;
import io.rocketbufs.benchmarks.compare.PlanOptions;
import io.rocketbufs.benchmarks.compare.ReportOptions;
import io.rocketbufs.benchmarks.compare.Span;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code bin/bench shm}, which compares the shared-memory transport with Aeron IPC and with a pipe in one run on this
 * machine.
 */
@Command(
        name = "shm",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        description = "Measures messages between two processes through RocketBufs' shared memory, Aeron IPC and a pipe"
                + " in turn on this machine, and reports the ratios.")
public final class ShmComparison implements Callable<Integer> {
    private static final int DONE = 0;
    private static final int MISSING = 69;
    private static final long DURATION_MS = 2000;
    private static final long WARMUP_MS = 5000;
    static final Span QUICK_SPAN = new Span(2000, 1000);
    static final int QUICK_REPETITIONS = 3;
    private static final List<String> PACKAGES = List.of("gcc", "libc6-dev");

    @Option(
            names = "--experiments",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "stream,round-trip",
            description = "Experiments to run; ${DEFAULT-VALUE} by default.")
    private List<ShmExperiment> experiments;

    @Option(
            names = "--contenders",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "shm,shm-spin,aeron,aeron-yield,aeron-spin,aeron-dedicated,pipe",
            description = "Contenders to measure; ${DEFAULT-VALUE} by default. The first one is compared with all"
                    + " others.")
    private List<ShmPeer> contenders;

    @Option(
            names = "--quick",
            description = "Measure for one second, with three repetitions and short warm-ups, which takes about five"
                    + " minutes.")
    private boolean quick;

    @Mixin
    private PlanOptions measured = new PlanOptions(DURATION_MS);

    @Mixin
    private ReportOptions report = new ReportOptions();

    private final Path home;
    private final PrintStream output;
    private final PrintStream progress;

    private ShmComparison(Path home, PrintStream output, PrintStream progress) {
        this.home = home;
        this.output = output;
        this.progress = progress;
    }

    /** Runs the comparison. The system property {@code bench.home} is the folder of the checkout. */
    public static void main(String[] arguments) {
        ShmComparison comparison = new ShmComparison(Path.of(System.getProperty("bench.home")), System.out, System.err);
        System.exit(Comparison.execute(comparison, arguments));
    }

    @Override
    public Integer call() throws Exception {
        List<String> missing = contenders.contains(ShmPeer.PIPE) ? Packages.missing(PACKAGES) : List.of();
        if (!missing.isEmpty()) {
            progress.println("bench: missing packages; install them with: apt-get install -y "
                    + String.join(" ", missing) + " (or leave out pipe with --contenders)");
            return MISSING;
        }
        new Comparison(new ShmFindings(), contenders.get(0).toString(), report.output(output, progress))
                .run(this::contenders, plan());
        return DONE;
    }

    private List<Contender> contenders(Path programs) throws IOException, InterruptedException {
        List<Contender> created = new ArrayList<>();
        for (ShmPeer each : contenders) {
            created.add(each.contender(programs, Machine.memoryFolder(), home));
        }
        return created;
    }

    private Plan plan() {
        List<Cell> cells =
                experiments.stream().flatMap(each -> each.cells().stream()).toList();
        // There is nothing to try, because each contender has one load.
        return quick
                ? new Plan(cells, QUICK_SPAN, QUICK_SPAN, QUICK_REPETITIONS)
                : new Plan(cells, new Span(WARMUP_MS, measured.durationMs()), QUICK_SPAN, measured.repetitions());
    }
}
