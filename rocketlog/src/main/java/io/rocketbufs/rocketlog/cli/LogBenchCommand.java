package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.cli.Streams;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code rocketlog bench}, which has a subcommand for each kind of measurement. */
@Command(
        name = "bench",
        description = "Measures a broker, and checks every byte of every record. Runs the clients and, unless --broker"
                + " is given, a broker in a process of its own, whose log is in a temporary directory.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Examples:",
            "  rocketlog bench produce --duration 10s --producers 2 --partitions 2",
            "  rocketlog bench endtoend --duration 10s --rate 10000 --json",
            "  rocketlog help bench consume"
        })
final class LogBenchCommand {
    @Mixin
    CommonOptions common = new CommonOptions();

    private LogBenchCommand() {}

    static CommandLine create(Streams streams, Programs processes, Programs threads) {
        CommandLine bench = new CommandLine(new LogBenchCommand());
        for (LogLoad.Kind kind : LogLoad.Kind.values()) {
            CommandLine measure = new CommandLine(new LoadCommand(kind, streams, processes, threads));
            String name = kind.name().toLowerCase(Locale.ROOT);
            measure.getCommandSpec()
                    .usageMessage()
                    .description(description(kind))
                    .footer("", "Example:", "  rocketlog bench " + name + " --duration 10s");
            bench.addSubcommand(name, measure);
        }
        return bench;
    }

    private static String[] description(LogLoad.Kind kind) {
        return switch (kind) {
            case PRODUCE ->
                new String[] {
                    "Measures producers that append as many records as the broker accepts, or at a fixed rate. The"
                            + " latency is the time from sending a record to its acknowledgement, of one record of each"
                            + " producer at a time."
                };
            case CONSUME ->
                new String[] {
                    "Measures consumers that read the same records again and again, 128 MB across all partitions."
                            + " Each consumer reads all partitions. The latency is the duration of a poll that reads"
                            + " records."
                };
            case POLL ->
                new String[] {
                    "Measures consumers that look for records in an empty topic, without waiting for them. The latency"
                            + " is the duration of a poll."
                };
            case ENDTOEND ->
                new String[] {
                    "Measures producers and consumers; each partition has one consumer. The latency is the time from"
                            + " sending a record to its arrival at the consumer. With --rate, it includes the delay of"
                            + " records that are sent later than they are due. Without it, records wait behind others."
                };
            case FANOUT ->
                new String[] {
                    "Measures producers and consumers; each consumer reads all partitions. consumed_per_s and mb_s are"
                            + " totals across all consumers. The latency is as for endtoend."
                };
        };
    }
}
