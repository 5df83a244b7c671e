package io.rocketbufs.benchmarks.log;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.benchmarks.Machine;
import io.rocketbufs.benchmarks.Packages;
import io.rocketbufs.benchmarks.compare.Cell;
import io.rocketbufs.benchmarks.compare.ComparisonCommand;
import io.rocketbufs.benchmarks.compare.Contender;
import io.rocketbufs.benchmarks.compare.Plan;
import io.rocketbufs.benchmarks.compare.Span;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bin/bench log}, which compares rocketlog with other logs in one run on this machine. */
@Command(
        name = "log",
        description = "Measures rocketlog and other logs in turn on this machine, and reports the ratios.")
public final class LogComparison extends ComparisonCommand {
    private static final long DURATION_MS = 3000;
    /** Duration of the warm-up in ms for every measurement except the first in its cell. */
    private static final long SHORT_WARMUP_MS = 1000;

    private static final WarmUp WARM_UP = new WarmUp(1000, 3, 15_000, 60_000, 15_000);
    static final WarmUp QUICK_WARM_UP = new WarmUp(500, 2, 4_000, 4_000, 3_000);
    static final Span QUICK_SPAN = new Span(500, 1000);
    static final int QUICK_REPETITIONS = 3;
    static final Span TRIAL = new Span(SHORT_WARMUP_MS, 500);
    private static final String TMPFS = "tmpfs";

    @Option(
            names = "--experiments",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "produce-latency,produce-unbatched,produce-batched,produce-processor,consume-latency,polls,"
                    + "consume-small,consume-fanout,consume-large,end-to-end,produce-partitions,produce-flushed",
            description = "Experiments to run; ${DEFAULT-VALUE} by default.")
    private List<LogExperiment> experiments;

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "raw,disk,kafka,jetstream,redis,chronicle",
            description = "Logs to compare rocketlog with; ${DEFAULT-VALUE} by default. raw is a log in C, which"
                    + " includes raw-rdma, the same over libfabric, if the transport rdma is measured; with --quick,"
                    + " if rdma is the first transport. disk only"
                    + " writes to files, and chronicle has no network. Those whose packages are missing are skipped.")
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
            names = "--modes",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "private,exclusive",
            description = "Modes of rocketlog's producers: private, exclusive, shared or memory; ${DEFAULT-VALUE} by"
                    + " default. private is always measured, and memory is the same with topics in the memory of the"
                    + " broker. With --quick, the others are"
                    + " measured only over the first transport.")
    private List<RocketlogMode> modes;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Folder for the logs; /dev/shm by default, or the folder for temporary files if there is"
                    + " none. produce-flushed is skipped if it is in memory.")
    private Path directory;

    @Option(
            names = "--quick",
            description =
                    "Measure one cell of each experiment for one second, with three repetitions and short warm-ups,"
                            + " which takes less than 15 minutes on a quiet machine with two processors.")
    private boolean quick;

    private LogComparison() {
        super(DURATION_MS);
    }

    /** Runs the comparison. */
    public static void main(String[] arguments) {
        exit(new LogComparison(), arguments);
    }

    @Override
    protected boolean compare() throws Exception {
        Files.createDirectories(folder());
        List<String> skipped = new ArrayList<>();
        List<String> usable = transports.stream()
                .filter(transport -> isUsable(transport, skipped))
                .toList();
        List<LogPeer> others = withRawRdma(peers, quick && !usable.isEmpty() ? usable.subList(0, 1) : usable).stream()
                .filter(peer -> isUsable(peer, skipped))
                .toList();
        List<Cell> cells = cells(skipped);
        skipped.forEach(this::say);
        if (usable.isEmpty() || cells.isEmpty()) {
            say("there is nothing to measure");
            return false;
        }
        comparison(new LogFindings(!isInMemory()), RocketlogSystem.name(usable.get(0), RocketlogMode.PRIVATE))
                .withFact(
                        "logs",
                        folder() + " (" + fileSystem() + "); not forced to the disk, except in "
                                + LogExperiment.PRODUCE_FLUSHED)
                .withFact("skipped", skipped.isEmpty() ? "nothing" : String.join("; ", skipped))
                .run(temporary -> contenders(others, usable, temporary), plan(cells));
        return true;
    }

    /** Returns the peers. If {@code raw} is one of them and RDMA is measured, they include {@code raw-rdma}. */
    static Set<LogPeer> withRawRdma(List<LogPeer> peers, List<String> transports) {
        Set<LogPeer> all = new LinkedHashSet<>();
        for (LogPeer each : peers) {
            all.add(each);
            if (each == LogPeer.RAW && transports.contains(RawRdmaSystem.TRANSPORT)) {
                all.add(LogPeer.RAW_RDMA);
            }
        }
        return all;
    }

    private List<Contender> contenders(List<LogPeer> others, List<String> usable, Path temporary)
            throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>();
        for (LogPeer each : others) {
            contenders.add(contender(each.system(temporary)));
        }
        for (String transport : usable) {
            rocketlogModes(transport.equals(usable.get(0)))
                    .forEach(mode -> contenders.add(
                            contender(new RocketlogSystem(transport, mode, home().resolve("bin/rocketlog")))));
        }
        return contenders;
    }

    private Set<RocketlogMode> rocketlogModes(boolean isFirstTransport) {
        Set<RocketlogMode> all = EnumSet.of(RocketlogMode.PRIVATE);
        if (isFirstTransport || !quick) {
            all.addAll(modes);
        }
        return all;
    }

    private LogContender contender(LogSystem system) {
        return new LogContender(system, folder(), quick ? QUICK_WARM_UP : WARM_UP);
    }

    private Plan plan(List<Cell> cells) {
        return quick ? new Plan(cells, QUICK_SPAN, TRIAL, QUICK_REPETITIONS) : plan(cells, SHORT_WARMUP_MS, TRIAL);
    }

    private List<Cell> cells(List<String> skipped) throws IOException {
        List<LogExperiment> usable = new ArrayList<>(experiments);
        if (isInMemory() && usable.removeIf(LogExperiment::flushes)) {
            skipped.add(
                    LogExperiment.PRODUCE_FLUSHED + " is skipped, because " + folder() + " is in memory; see --dir");
        }
        return LogExperiment.cells(usable, quick);
    }

    private Path folder() {
        return directory == null ? Machine.memoryFolder() : directory.toAbsolutePath();
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
        try (RocketBufs rocketBufs =
                RocketBufs.open(ConfigFactory.parseString("rocketbufs.rdma.provider = " + RawRdmaSystem.PROVIDER)
                        .withFallback(ConfigFactory.load()))) {
            rocketBufs.localAddress(transport);
            return true;
        } catch (TransportException e) {
            skipped.add(RocketlogSystem.PREFIX + transport + " is skipped: " + e.getMessage());
            return false;
        }
    }
}
