package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rbmq demo}: a broker, publishers and subscribers in one command. */
@Command(
        name = "demo",
        description = "Starts a broker, two publishers and two subscribers, publishes messages and checks every one.")
final class DemoCommand implements Callable<Integer> {
    private static final int PUBLISHERS = 2;
    private static final int SUBSCRIBERS = 2;
    private static final int LENGTH = 256;
    private static final Duration WARMUP = Duration.ofSeconds(1);

    private final Streams streams;
    private final BenchPrograms programs;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = RbmqConfiguration.options();

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            defaultValue = "10s",
            converter = Units.DurationConverter.class,
            description = "How long to publish after the warm-up; ${DEFAULT-VALUE} by default.")
    Duration duration;

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
                new BenchLoad(PUBLISHERS, SUBSCRIBERS, 1, LENGTH, 0, false),
                WARMUP,
                duration,
                broker,
                null,
                null,
                oneProcess);
        BenchResult result = BenchRun.measure(plan, programs, json, streams);
        if (!json) {
            streams.tell(
                    result.faults().any()
                            ? "Not every message arrived exactly once, in order and intact."
                            : "Every message arrived at every subscriber exactly once, in order and intact.");
        }
        return BenchOptions.exitCode(result);
    }
}
