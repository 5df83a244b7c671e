package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.bench.BenchLoad;
import io.rocketbufs.rbmq.bench.BenchResult;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code rbmq bench latency} command, which measures the latency of messages at a fixed load. */
@Command(
        name = "latency",
        description = {
            "Measures how long messages take from a publisher through the broker to a subscriber, at a fixed rate.",
            "Latency is measured from the time when a message was due, even if the publisher was late. A stall"
                    + " therefore shows in the latency of every message that it delayed. The publisher parks until a"
                    + " message is due; it never spins."
        },
        footer = {
            "",
            "Examples:",
            "  rbmq bench latency --size 64 --rate 10000 --duration 10s",
            "  rbmq bench latency --size 1KiB --rate 1000 --duration 10s --json"
        })
final class LatencyCommand implements Callable<Integer> {
    private final Streams streams;
    private final BenchPrograms programs;

    @Mixin
    BenchOptions bench = new BenchOptions();

    @Option(names = "--rate", required = true, paramLabel = "N", description = "Messages per second.")
    long rate;

    LatencyCommand(Streams streams, BenchPrograms programs) {
        this.streams = streams;
        this.programs = programs;
    }

    @Override
    public Integer call() throws InterruptedException {
        BenchSizes.checkRate(rate);
        BenchLoad load = new BenchLoad(1, 1, 1, bench.length, rate, true, 1);
        BenchResult result = bench.measure(load, programs, streams);
        if (result.latencies() == null) {
            throw new CommandFailure(ExitCode.NOTHING_THERE, "no message arrived");
        }
        return BenchOptions.exitCode(result);
    }
}
