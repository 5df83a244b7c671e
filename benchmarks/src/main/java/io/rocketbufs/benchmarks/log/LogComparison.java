package io.rocketbufs.benchmarks.log;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.benchmarks.Packages;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.Comparison;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Plan;
import io.rocketbufs.benchmarks.compare.PlanOptions;
import io.rocketbufs.benchmarks.compare.ReportOptions;
import io.rocketbufs.benchmarks.compare.Span;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/bench log}, which compares rocketlog with other logs in one run on this machine. */
@Command(
        name = "log",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        description = "Measures rocketlog and other logs in turn on this machine, and reports the ratios.")
public final class LogComparison implements Callable<Integer> {
    private static final int DONE = 0;
    private static final int MISSING = 69;
    private static final long DURATION_MS = 3000;
    private static final long WARMUP_MS = 6000;
    private static final long QUICK_WARMUP_MS = 3000;
    private static final long QUICK_DURATION_MS = 1000;
    private static final int QUICK_REPETITIONS = 3;
    private static final Span TRIAL = new Span(3000, 500);
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final String TMPFS = "tmpfs";

    @Option(
            names = "--experiments",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "produce-latency,produce-unbatched,produce-batched,produce-flushed,consume-latency,polls,"
                    + "consume-small,consume-large,end-to-end",
            description = "Experiments to run; ${DEFAULT-VALUE} by default.")
    private List<LogExperiment> experiments;

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "raw,disk,kafka,jetstream,redis",
            description =
                    "Logs to compare rocketlog with; ${DEFAULT-VALUE} by default. raw is a log in C, and disk only"
                            + " writes to files. Those whose packages are missing are skipped.")
    private List<LogPeer> peers;

    @Option(
            names = "--transports",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "tcp,shm,rdma",
            description = "Transports of rocketlog; ${DEFAULT-VALUE} by default. The first one is compared with all"
                    + " other contenders. Those that this machine does not have are skipped.")
    private List<String> transports;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Folder for the logs; /dev/shm by default, or the folder for temporary files if there is"
                    + " none. produce-flushed is skipped if it is in memory.")
    private Path directory;

    @Option(
            names = "--quick",
            description = "Measure one cell of each experiment for one second, with three repetitions.")
    private boolean quick;

    @Mixin
    private PlanOptions measured = new PlanOptions(DURATION_MS);

    @Mixin
    private ReportOptions report = new ReportOptions();

    private final Path home;
    private final PrintStream output;
    private final PrintStream progress;

    private LogComparison(Path home, PrintStream output, PrintStream progress) {
        this.home = home;
        this.output = output;
        this.progress = progress;
    }

    /** Runs the comparison. The system property {@code bench.home} is the folder that contains bin/rocketlog. */
    public static void main(String[] arguments) {
        LogComparison comparison = new LogComparison(Path.of(System.getProperty("bench.home")), System.out, System.err);
        System.exit(Comparison.execute(comparison, arguments));
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(folder());
        List<String> skipped = new ArrayList<>();
        List<String> usable = transports.stream()
                .filter(transport -> isUsable(transport, skipped))
                .toList();
        List<LogPeer> others =
                peers.stream().filter(peer -> isUsable(peer, skipped)).toList();
        List<Cell> cells = cells(skipped);
        skipped.forEach(each -> progress.println("bench: " + each));
        if (usable.isEmpty() || cells.isEmpty()) {
            progress.println("bench: there is nothing to measure");
            return MISSING;
        }
        LogFindings findings = new LogFindings(!isInMemory());
        new Comparison(findings, RocketlogSystem.name(usable.get(0)), report.output(output, progress))
                .withFact(
                        "logs",
                        folder() + " (" + fileSystem() + "); not forced to the disk, except in "
                                + LogExperiment.PRODUCE_FLUSHED)
                .withFact("skipped", skipped.isEmpty() ? "nothing" : String.join("; ", skipped))
                .run(temporary -> contenders(others, usable, temporary), plan(cells));
        return DONE;
    }

    private List<Contender> contenders(List<LogPeer> others, List<String> usable, Path temporary)
            throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>();
        for (LogPeer each : others) {
            contenders.add(new LogContender(each.system(temporary), folder()));
        }
        usable.forEach(transport -> contenders.add(
                new LogContender(new RocketlogSystem(transport, home.resolve("bin/rocketlog")), folder())));
        return contenders;
    }

    private Plan plan(List<Cell> cells) {
        return quick
                ? new Plan(cells, new Span(QUICK_WARMUP_MS, QUICK_DURATION_MS), TRIAL, QUICK_REPETITIONS)
                : new Plan(cells, new Span(WARMUP_MS, measured.durationMs()), TRIAL, measured.repetitions());
    }

    private List<Cell> cells(List<String> skipped) throws IOException {
        List<Cell> cells = new ArrayList<>();
        for (LogExperiment each : experiments) {
            if (each.flushes() && isInMemory()) {
                skipped.add(each + " is skipped, because " + folder() + " is in memory; see --dir");
            } else {
                cells.addAll(quick ? each.cells().subList(0, 1) : each.cells());
            }
        }
        return cells;
    }

    private Path folder() {
        if (directory != null) {
            return directory.toAbsolutePath();
        }
        return Files.isWritable(SHARED_MEMORY) ? SHARED_MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
    }

    private boolean isInMemory() throws IOException {
        return fileSystem().equals(TMPFS);
    }

    private String fileSystem() throws IOException {
        return Files.getFileStore(folder()).type();
    }

    private static boolean isUsable(LogPeer peer, List<String> skipped) {
        List<String> missing = Packages.missing(peer.packages());
        if (!missing.isEmpty()) {
            skipped.add(peer + " is skipped: missing packages: " + String.join(", ", missing));
        }
        return missing.isEmpty();
    }

    private static boolean isUsable(String transport, List<String> skipped) {
        try (RocketBufs rocketBufs = RocketBufs.open(
                ConfigFactory.parseString("rocketbufs.rdma.provider = tcp").withFallback(ConfigFactory.load()))) {
            rocketBufs.localAddress(transport);
            return true;
        } catch (TransportException e) {
            skipped.add(RocketlogSystem.name(transport) + " is skipped: " + e.getMessage());
            return false;
        }
    }
}
