package io.rocketbufs.benchmarks.compare;

import io.rocketbufs.benchmarks.Machine;
import io.rocketbufs.benchmarks.Packages;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bin/bench compare}, which compares RBMQ with other brokers and with a bare relay in one run on this machine.
 */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        description = "Measures RBMQ, other brokers and a bare relay in turn on this machine, and reports the ratios.")
public final class Compare implements Callable<Integer> {
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int MISSING = 69;
    private static final long WARMUP_MS = 1000;
    private static final Span TRIAL = new Span(300, 500);
    private static final Span QUICK = new Span(500, 2000);
    private static final int QUICK_REPETITIONS = 3;
    private static final List<Cell> QUICK_CELLS = List.of(Cell.throughput(64, 1), Cell.throughput(2048, 2));

    @Option(
            names = "--experiments",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "throughput,latency,subscriber-cpu,broker-cpu,topics,publishers,subscribers",
            description = "Experiments to run; ${DEFAULT-VALUE} by default.")
    private List<Experiment> experiments;

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "raw,redis,nats,rabbitmq",
            description = "Brokers to compare RBMQ with; ${DEFAULT-VALUE} by default.")
    private List<Peer> peers;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "16,64,512,2048,8192,32768,65536",
            description = "Message sizes in bytes, for throughput and subscriber-cpu; ${DEFAULT-VALUE} by default.")
    private List<Integer> sizes;

    @Option(
            names = "--subs",
            split = ",",
            paramLabel = "N",
            defaultValue = "0,1,2,4",
            description = "Numbers of subscribers for throughput; ${DEFAULT-VALUE} by default.")
    private List<Integer> subscribers;

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "5",
            description = "Number of times that each measurement is repeated; ${DEFAULT-VALUE} by default.")
    private int repetitions;

    @Option(
            names = "--duration",
            paramLabel = "MS",
            defaultValue = "2000",
            description =
                    "Duration of each measurement in milliseconds, excluding the warm-up; ${DEFAULT-VALUE} by default.")
    private long durationMs;

    @Option(
            names = "--variants",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "rbmq",
            description =
                    "Variants of RBMQ to measure: ${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} by default. The first"
                            + " one is compared with all other contenders.")
    private List<Variant> variants;

    @Option(
            names = "--quick",
            description = "Measure only two cells with three repetitions, which takes less than five minutes.")
    private boolean quick;

    @Option(names = "--json", description = "Print the results as one JSON object in the last line of the output.")
    private boolean json;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for the result files; comparison-DATE by default.")
    private Path out;

    private final Path home;
    private final PrintStream output;
    private final PrintStream progress;

    private Compare(Path home, PrintStream output, PrintStream progress) {
        this.home = home;
        this.output = output;
        this.progress = progress;
    }

    /** Runs the comparison. The system property {@code bench.home} is the folder that contains bin/rbmq. */
    public static void main(String[] arguments) {
        Compare compare = new Compare(Path.of(System.getProperty("bench.home")), System.out, System.err);
        CommandLine line = new CommandLine(compare)
                .setErr(new PrintWriter(System.err, true))
                .setExecutionExceptionHandler((failure, command, result) -> {
                    System.err.println("bench: " + failure.getMessage());
                    return FAILED;
                });
        System.exit(line.execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        List<String> missing = Packages.missing(packages());
        if (!missing.isEmpty()) {
            progress.println("bench: missing packages: " + String.join(", ", missing));
            progress.println("bench: install them with: apt-get install -y --no-install-recommends "
                    + String.join(" ", missing) + " (or select other brokers with --peers)");
            return MISSING;
        }
        Path folder = Files.createTempDirectory("bench-compare");
        List<Contender> contenders = new ArrayList<>();
        try {
            CPrograms programs = CPrograms.build(folder);
            peers.forEach(peer -> contenders.add(peer.contender(programs, folder)));
            variants.forEach(variant -> contenders.add(variant.contender(home.resolve("bin/rbmq"))));
            compare(contenders);
        } finally {
            for (Contender contender : contenders) {
                contender.close();
            }
            delete(folder);
        }
        return DONE;
    }

    private List<String> packages() {
        return Stream.concat(Stream.of("gcc", "libc6-dev"), peers.stream().flatMap(peer -> peer.packages().stream()))
                .toList();
    }

    private void compare(List<Contender> contenders) throws IOException, InterruptedException {
        Map<String, Object> facts = facts(contenders);
        Campaign campaign = new Campaign(
                contenders,
                quick ? QUICK : new Span(WARMUP_MS, durationMs),
                TRIAL,
                quick ? QUICK_REPETITIONS : repetitions,
                new ForeignLoad(),
                progress);
        try {
            campaign.run(quick ? QUICK_CELLS : cells());
        } catch (IOException e) {
            facts.put("ended early", e.getMessage());
            throw e;
        } finally {
            report(campaign, facts);
        }
    }

    /** Writes the results even if they are incomplete, because the measurements may have taken hours. */
    private void report(Campaign campaign, Map<String, Object> facts) throws IOException {
        if (campaign.runs().isEmpty()) {
            return;
        }
        facts.put("disturbed and repeated", campaign.discarded());
        Results results = new Results(campaign.runs());
        Path folder = out == null ? Path.of("comparison-" + LocalDate.now()) : out;
        Report report = new Report(results, facts, variants.get(0).toString());
        report.write(folder);
        output.println("report: " + folder.resolve("report.md"));
        if (json) {
            output.println(report.json());
        }
    }

    private List<Cell> cells() {
        return experiments.stream()
                .flatMap(experiment -> experiment.cells(sizes, subscribers).stream())
                .toList();
    }

    private Map<String, Object> facts(List<Contender> contenders) throws IOException, InterruptedException {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("date", LocalDate.now().toString());
        facts.put("machine", Machine.here().toString());
        for (Contender contender : contenders) {
            facts.put(contender.name(), contender.version() + "; " + contender.settings());
        }
        return facts;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
