package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Units;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.client.TokenSettings;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code rbmq demo} command: a broker, publishers and subscribers in one command. */
@Command(
        name = "demo",
        description = "Starts a broker, two publishers and two subscribers, and checks every message. Measures the"
                + " throughput, and then the latency at 10,000 messages per second.",
        footer = {"", "Examples:", "  rbmq demo", "  rbmq demo --duration 30s --set rocketbufs.transport=rdma"})
final class DemoCommand implements Callable<Integer> {
    private static final int LENGTH = 256;
    private static final BenchLoad THROUGHPUT = new BenchLoad(2, 2, 1, LENGTH, 0, false, 1);
    private static final BenchLoad LATENCY = new BenchLoad(1, 1, 1, LENGTH, 10_000, true, 1);
    private static final Duration MAX_WARMUP = Duration.ofSeconds(10);
    private static final Duration MAX_LATENCY_DURATION = Duration.ofSeconds(5);

    private final Streams streams;
    private final BenchPrograms programs;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = RbmqConfiguration.options().withReplacement(TokenSettings::inlined);

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = Units.DurationConverter.class,
            description = "Duration of the throughput measurement; ${DEFAULT-VALUE} by default. The latency measurement"
                    + " takes half as long, at most 5 s.")
    Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "How long messages flow before each measurement; by default until the rate is steady, at most"
                    + " 10 s.")
    Duration warmup;

    @Option(
            names = "--install",
            description = "Installs missing packages with apt-get first: a JDK and Maven. The launcher does this.")
    boolean install;

    @Option(names = "--json", description = "Prints one JSON object as the last line of the output.")
    boolean json;

    @Option(names = "--one-process", hidden = true, description = "Runs everything as threads of this process.")
    boolean oneProcess;

    DemoCommand(Streams streams, BenchPrograms programs) {
        this.streams = streams;
        this.programs = programs;
    }

    @Override
    public Integer call() throws InterruptedException {
        BrokerOptions broker = new BrokerOptions();
        broker.config = config;
        BenchPlan plan = new BenchPlan(
                THROUGHPUT,
                warmup == null ? MAX_WARMUP : warmup,
                warmup == null,
                duration,
                broker,
                null,
                null,
                oneProcess);
        DemoReport report = BenchRun.with(plan, programs, streams, run -> {
            BenchResult throughput = run.run();
            Duration half = duration.dividedBy(2);
            boolean isLong = half.compareTo(MAX_LATENCY_DURATION) > 0;
            return new DemoReport(throughput, run.runAgain(LATENCY, isLong ? MAX_LATENCY_DURATION : half));
        });
        if (json) {
            streams.tell(Json.of(report.asMap()));
        } else {
            String command = System.getenv().getOrDefault("ROCKETBUFS_COMMAND", streams.program());
            report.asLines(command).forEach(streams::tell);
        }
        return report.isFaultless() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
