package io.rocketbufs.rbmq.cli;

import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every measurement. */
final class BenchOptions {
    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    BrokerOptions broker = new BrokerOptions();

    @Option(
            names = "--size",
            required = true,
            paramLabel = "BYTES",
            converter = Units.LengthConverter.class,
            description = "Bytes of a message, at least 8.")
    int length;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "3s",
            converter = Units.DurationConverter.class,
            description = "How long messages flow before rates are taken; ${DEFAULT-VALUE} by default.")
    Duration warmup;

    @Option(
            names = "--duration",
            required = true,
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "How long to measure.")
    Duration duration;

    @Option(names = "--json", description = "The last line of the output is one JSON object.")
    boolean json;

    /** Measures, shows the result, and says how it went. */
    BenchResult measure(BenchLoad load, String publisherTransport, String subscriberTransport, Streams streams)
            throws InterruptedException {
        BenchPlan plan = new BenchPlan(
                load, warmup, duration, broker, publisherTransport, subscriberTransport, Programs.PROCESSES);
        return BenchRun.measure(plan, json, streams);
    }

    static int exitCode(BenchResult result) {
        return result.faults().any() ? ExitCode.FAILED : ExitCode.DONE;
    }
}
