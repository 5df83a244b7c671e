package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import io.rocketbufs.rbmq.bench.Latencies;
import java.nio.file.Path;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that all measurements share. */
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
            description = "Length of a message in bytes, at least 8.")
    int length;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "3s",
            converter = Units.DurationConverter.class,
            description = "How long messages flow before the measurement; ${DEFAULT-VALUE} by default.")
    Duration warmup;

    @Option(
            names = "--duration",
            required = true,
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "Duration of the measurement.")
    Duration duration;

    @Option(names = "--json", description = "Prints one JSON object as the last line of the output.")
    boolean json;

    @Option(names = "--pub-transport", paramLabel = "NAME", description = "Transport of the publishers.")
    String publisherTransport;

    @Option(names = "--sub-transport", paramLabel = "NAME", description = "Transport of the subscribers.")
    String subscriberTransport;

    @Option(
            names = "--hdr",
            paramLabel = "FILE",
            description = "Writes a histogram log of the latencies, in nanoseconds, if any message was timed.")
    Path hdr;

    /** Runs the benchmark and shows the result. */
    BenchResult measure(BenchLoad load, BenchPrograms programs, Streams streams) throws InterruptedException {
        BenchSizes.checkLoad(load);
        BenchPlan plan =
                new BenchPlan(load, warmup, false, duration, broker, publisherTransport, subscriberTransport, false);
        BenchResult result = BenchRun.measure(plan, programs, json, streams);
        if (hdr != null && result.latencies() != null) {
            Latencies.write(
                    result.latencies(),
                    hdr,
                    result.span().beginMs(),
                    result.span().endMs());
        }
        return result;
    }

    static int exitCode(BenchResult result) {
        return result.faults().any() ? ExitCode.FAILED : ExitCode.DONE;
    }
}
