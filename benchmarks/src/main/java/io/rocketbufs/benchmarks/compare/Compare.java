package io.rocketbufs.benchmarks.compare;

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

/** {@code bin/bench compare}: RBMQ against other brokers and the limit, on this machine, in one run. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100,
        description =
                "Measures RBMQ, other brokers and a bare relay on this machine, interleaved, and reports the ratios.")
public final class Compare implements Callable<Integer> {
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int MISSING = 69;
    private static final String SUBJECT = "rbmq";
    private static final List<Load> ONE_PUBLISHER = List.of(new Load(1, 64));
    private static final List<Load> ALL_LOADS = List.of(
            new Load(1, 16), new Load(1, 64), new Load(2, 16), new Load(2, 64), new Load(4, 16), new Load(4, 64));

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            defaultValue = "raw,redis,nats,rabbitmq",
            description = "Whom to compare with: ${DEFAULT-VALUE}.")
    private List<String> peers;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "BYTES",
            defaultValue = "16,64,512,2048,8192,32768,65536",
            description = "Bytes of a message; ${DEFAULT-VALUE} by default.")
    private List<Integer> sizes;

    @Option(
            names = "--subs",
            split = ",",
            paramLabel = "N",
            defaultValue = "0,1,2,4",
            description = "Numbers of subscribers; ${DEFAULT-VALUE} by default.")
    private List<Integer> subscribers;

    @Option(
            names = "--repetitions",
            paramLabel = "N",
            defaultValue = "5",
            description = "Measurements of each that count; ${DEFAULT-VALUE} by default.")
    private int repetitions;

    @Option(
            names = "--duration",
            paramLabel = "MS",
            defaultValue = "3000",
            description = "Milliseconds that count in each; ${DEFAULT-VALUE} by default.")
    private long durationMs;

    @Option(
            names = "--transports",
            split = ",",
            paramLabel = "NAME",
            defaultValue = SUBJECT,
            description = {
                "Variants of RBMQ: rbmq (the defaults), rbmq-nofc (without flow control), rbmq-rdma (libfabric's",
                "provider tcp), rbmq-tcp-rdma, rbmq-rdma-tcp; ${DEFAULT-VALUE} by default."
            })
    private List<String> variants;

    @Option(names = "--quick", description = "Two cells with three repetitions, in less than five minutes.")
    private boolean quick;

    @Option(names = "--json", description = "The last line of the output is one JSON object.")
    private boolean json;

    @Option(names = "--out", paramLabel = "DIR", description = "Where the files go; comparison-DATE by default.")
    private Path out;

    private final Path home;
    private final PrintStream output;
    private final PrintStream progress;

    private Compare(Path home, PrintStream output, PrintStream progress) {
        this.home = home;
        this.output = output;
        this.progress = progress;
    }

    /** Compares; the system property {@code bench.home} says where bin/rbmq is. */
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
            progress.println("bench: missing: " + String.join(", ", missing));
            progress.println("bench: install it with: apt-get install -y --no-install-recommends "
                    + String.join(" ", missing) + "   (or choose others with --peers)");
            return MISSING;
        }
        Path folder = Files.createTempDirectory("bench-compare");
        List<Contender> contenders = new ArrayList<>();
        try {
            CPrograms programs = CPrograms.build(folder);
            peers.forEach(peer -> contenders.add(peer(peer, programs, folder)));
            variants.forEach(variant -> contenders.add(variant(variant)));
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
        List<String> packages = new ArrayList<>(List.of("gcc", "libc6-dev"));
        for (String peer : peers) {
            switch (peer) {
                case "raw" -> {
                    // Compiled here.
                }
                case "nats" -> packages.add("nats-server");
                case "redis" -> packages.addAll(List.of("redis-server", "libhiredis-dev"));
                case "rabbitmq" -> packages.addAll(List.of("rabbitmq-server", "librabbitmq-dev"));
                default -> throw new IllegalArgumentException("--peers " + peer + ": raw, redis, nats or rabbitmq");
            }
        }
        return packages;
    }

    private static Contender peer(String name, CPrograms programs, Path folder) {
        Path own = folder.resolve(name);
        return switch (name) {
            case "raw" -> new LoadedServer(name, new RawRelay(programs), programs, ONE_PUBLISHER);
            case "redis" ->
                new LoadedServer(name, new InstalledServer(InstalledServer.REDIS, own), programs, ALL_LOADS);
            case "nats" -> new LoadedServer(name, new InstalledServer(InstalledServer.NATS, own), programs, ALL_LOADS);
            default -> new LoadedServer(name, new InstalledServer(InstalledServer.RABBITMQ, own), programs, ALL_LOADS);
        };
    }

    private Contender variant(String name) {
        Path command = home.resolve("bin/rbmq");
        List<String> provider = List.of("--set", "rocketbufs.rdma.provider=tcp");
        return switch (name) {
            case SUBJECT -> new Rbmq(name, command, List.of());
            case "rbmq-nofc" -> new Rbmq(name, command, List.of("--set", "rbmq.publisher.flow-control=off"));
            case "rbmq-rdma" ->
                new Rbmq(name, command, with(provider, "--pub-transport", "rdma", "--sub-transport", "rdma"));
            case "rbmq-tcp-rdma" ->
                new Rbmq(name, command, with(provider, "--pub-transport", "tcp", "--sub-transport", "rdma"));
            case "rbmq-rdma-tcp" ->
                new Rbmq(name, command, with(provider, "--pub-transport", "rdma", "--sub-transport", "tcp"));
            default -> throw new IllegalArgumentException("--transports " + name + ": see --help");
        };
    }

    private static List<String> with(List<String> settings, String... more) {
        return Stream.concat(settings.stream(), Stream.of(more)).toList();
    }

    private void compare(List<Contender> contenders) throws IOException, InterruptedException {
        Map<String, Object> facts = facts(contenders);
        Span span = new Span(quick ? 500 : 1000, quick ? 2000 : durationMs);
        Campaign campaign = new Campaign(
                contenders, span, new Span(300, 700), quick ? 3 : repetitions, new ForeignLoad(), progress);
        Results results = new Results(campaign.run(cells()));
        facts.put("disturbed and repeated", campaign.discarded());
        Path folder = out == null ? Path.of("comparison-" + LocalDate.now()) : out;
        Report report = new Report(results, facts, variants.get(0));
        report.write(folder, new Plots(results).write(folder));
        output.println("report: " + folder.resolve("report.md"));
        if (json) {
            output.println(report.json());
        }
    }

    private List<Cell> cells() {
        if (quick) {
            return List.of(new Cell(64, 1), new Cell(2048, 2));
        }
        return subscribers.stream()
                .flatMap(count -> sizes.stream().map(size -> new Cell(size, count)))
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
