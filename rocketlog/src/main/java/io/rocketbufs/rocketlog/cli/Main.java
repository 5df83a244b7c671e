package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.Commands;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.cli.ProcessArguments;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.VersionOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code rocketlog} command. */
@Command(
        name = "rocketlog",
        description = "Tools for the files of a durable log in Kafka's format.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  rocketlog verify data", "  rocketlog help dump"})
public final class Main {
    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    VersionOption version = new VersionOption();

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(ProcessArguments.of(arguments), Streams.ofProcess("rocketlog")));
    }

    /** Runs a command on this thread. */
    static int run(String[] arguments, Streams streams) {
        LogConfiguration.setDefaultLevel("error");
        return new Commands(new Main())
                .add("dump", DumpCommand::new)
                .add("verify", VerifyCommand::new)
                .run(arguments, streams);
    }
}
