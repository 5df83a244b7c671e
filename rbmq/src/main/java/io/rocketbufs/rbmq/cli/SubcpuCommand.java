package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.bench.BenchLoad;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code rbmq bench subcpu} command, which measures the processor time of a subscriber at a fixed load. */
@Command(
        name = "subcpu",
        description = "Measures the processor time of a subscriber at a fixed rate.",
        footer = {
            "",
            "Examples:",
            "  rbmq bench subcpu --size 100 --rate 100000 --duration 10s",
            "  rbmq bench subcpu --size 1KiB --rate 10000 --duration 10s --json"
        })
final class SubcpuCommand implements Callable<Integer> {
    private final Streams streams;
    private final BenchPrograms programs;

    @Mixin
    BenchOptions bench = new BenchOptions();

    @Option(names = "--rate", required = true, paramLabel = "N", description = "Messages per second.")
    long rate;

    SubcpuCommand(Streams streams, BenchPrograms programs) {
        this.streams = streams;
        this.programs = programs;
    }

    @Override
    public Integer call() throws InterruptedException {
        BenchSizes.checkRate(rate);
        BenchLoad load = new BenchLoad(1, 1, 1, bench.length, rate, false, 1);
        return BenchOptions.exitCode(bench.measure(load, programs, streams));
    }
}
