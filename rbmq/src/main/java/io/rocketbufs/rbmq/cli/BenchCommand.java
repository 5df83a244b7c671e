package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.Streams;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code rbmq bench} command: the benchmarks, and their publishers and subscribers as separate commands. */
@Command(
        name = "bench",
        description =
                "Measures a broker. Runs publishers, subscribers and, unless --broker is given, a broker in separate"
                        + " processes.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  rbmq bench throughput --size 100 --duration 10s", "  rbmq help bench latency"})
final class BenchCommand {
    @Mixin
    CommonOptions common = new CommonOptions();

    private BenchCommand() {}

    static CommandLine create(Streams streams, BenchPrograms programs) {
        return new CommandLine(new BenchCommand())
                .addSubcommand(new ThroughputCommand(streams, programs))
                .addSubcommand(new LatencyCommand(streams, programs))
                .addSubcommand(new SubcpuCommand(streams, programs))
                .addSubcommand(new PublisherCommand(streams))
                .addSubcommand(new SubscriberCommand(streams));
    }
}
