package io.rocketbufs.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code bin/bench compare}, which compares RBMQ with other brokers and with a bare relay in one run on this machine.
 */
@Command(
        name = "compare",
        description = "Measures RBMQ, other brokers and a bare relay in turn on this machine, and reports the ratios.")
public final class Compare extends ComparisonCommand {
    private static final long DURATION_MS = 2000;
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
    private List<BrokerExperiment> experiments;

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

    private Compare() {
        super(DURATION_MS);
    }

    /** Runs the comparison. */
    public static void main(String[] arguments) {
        exit(new Compare(), arguments);
    }

    @Override
    protected boolean compare() throws Exception {
        if (!hasPackages(packages(), "select other brokers with --peers")) {
            return false;
        }
        comparison(new BrokerFindings(), variants.get(0)).run(this::contenders, plan());
        return true;
    }

    private List<Contender> contenders(Path folder) throws IOException, InterruptedException {
        List<Contender> contenders = new ArrayList<>();
        CPrograms programs = CPrograms.build(folder);
        peers.forEach(peer -> contenders.add(peer.contender(programs, folder)));
        variants.forEach(variant -> contenders.add(variant.contender(home().resolve("bin/rbmq"))));
        return contenders;
    }

    private Plan plan() {
        return quick ? new Plan(QUICK_CELLS, QUICK, TRIAL, QUICK_REPETITIONS) : plan(cells(), WARMUP_MS, TRIAL);
    }

    private List<String> packages() {
        return Stream.concat(Stream.of("gcc", "libc6-dev"), peers.stream().flatMap(peer -> peer.packages().stream()))
                .toList();
    }

    private List<Cell> cells() {
        return experiments.stream()
                .flatMap(experiment -> experiment.cells(sizes, subscribers).stream())
                .toList();
    }
}
