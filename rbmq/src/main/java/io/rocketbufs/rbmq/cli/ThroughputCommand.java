package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.bench.BenchLoad;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code rbmq bench throughput} command, which measures the maximum message rate. */
@Command(
        name = "throughput",
        description = "Measures the throughput in messages per second.",
        footer = {
            "",
            "Examples:",
            "  rbmq bench throughput --size 100 --duration 10s",
            "  rbmq bench throughput --size 1KiB --duration 10s --pubs 2 --subs 4"
        })
final class ThroughputCommand implements Callable<Integer> {
    private final Streams streams;
    private final BenchPrograms programs;

    @Mixin
    BenchOptions bench = new BenchOptions();

    @Option(names = "--pubs", paramLabel = "N", defaultValue = "1", description = "Number of publishers; 1 by default.")
    int publishers;

    @Option(
            names = "--subs",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of subscribers; 1 by default.")
    int subscribers;

    @Option(
            names = "--topics",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of topics; 1 by default. Every subscriber reads all topics. If there are more"
                    + " publishers than topics, several publishers share a topic; otherwise each publishes to one or"
                    + " more separate topics in turn.")
    int topics;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Messages per second of each publisher; unlimited by default.")
    Long rate;

    @Mixin
    BatchOption batch = new BatchOption();

    ThroughputCommand(Streams streams, BenchPrograms programs) {
        this.streams = streams;
        this.programs = programs;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (rate != null) {
            BenchSizes.checkRate(rate);
        }
        BenchLoad load = new BenchLoad(
                publishers, subscribers, topics, bench.length, rate == null ? 0 : rate, false, batch.count);
        return BenchOptions.exitCode(bench.measure(load, programs, streams));
    }
}
