package io.rocketbufs.benchmarks.shm;

import io.rocketbufs.benchmarks.Machine;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.ComparisonCommand;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Plan;
import io.rocketbufs.benchmarks.compare.Span;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bin/bench shm}, which compares the shared-memory transport with Aeron IPC and with a pipe in one run on this
 * machine.
 */
@Command(
        name = "shm",
        description = "Measures messages between two processes through RocketBufs' shared memory, Aeron IPC and a pipe"
                + " in turn on this machine, and reports the ratios.")
public final class ShmComparison extends ComparisonCommand {
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

    private ShmComparison() {
        super(DURATION_MS);
    }

    /** Runs the comparison. */
    public static void main(String[] arguments) {
        exit(new ShmComparison(), arguments);
    }

    @Override
    protected boolean compare() throws Exception {
        if (contenders.contains(ShmPeer.PIPE) && !hasPackages(PACKAGES, "leave out pipe with --contenders")) {
            return false;
        }
        comparison(new ShmFindings(), contenders.get(0)).run(this::contenders, plan());
        return true;
    }

    private List<Contender> contenders(Path programs) throws IOException, InterruptedException {
        List<Contender> created = new ArrayList<>();
        for (ShmPeer each : contenders) {
            created.add(each.contender(programs, Machine.memoryFolder(), home()));
        }
        return created;
    }

    private Plan plan() {
        List<Cell> cells =
                experiments.stream().flatMap(each -> each.cells().stream()).toList();
        // No trial run is needed, because each contender has only one load.
        return quick ? new Plan(cells, QUICK_SPAN, QUICK_SPAN, QUICK_REPETITIONS) : plan(cells, WARMUP_MS, QUICK_SPAN);
    }
}
