package io.rocketbufs.rbmq.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rbmq bench throughput}: as many messages as possible. */
@Command(name = "throughput", description = "Measures how many messages a second pass.")
final class ThroughputCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    BenchOptions bench = new BenchOptions();

    @Option(names = "--pubs", paramLabel = "N", defaultValue = "1", description = "Publishers; 1 by default.")
    int publishers;

    @Option(names = "--subs", paramLabel = "N", defaultValue = "1", description = "Subscribers; 1 by default.")
    int subscribers;

    @Option(
            names = "--topics",
            paramLabel = "N",
            defaultValue = "1",
            description = "Topics, among which the publishers are shared; every subscriber reads all. 1 by default.")
    int topics;

    @Option(names = "--pub-transport", paramLabel = "NAME", description = "Transport of the publishers.")
    String publisherTransport;

    @Option(names = "--sub-transport", paramLabel = "NAME", description = "Transport of the subscribers.")
    String subscriberTransport;

    ThroughputCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        BenchLoad load = new BenchLoad(publishers, subscribers, topics, bench.length, 0, false);
        return BenchOptions.exitCode(bench.measure(load, publisherTransport, subscriberTransport, streams));
    }
}
