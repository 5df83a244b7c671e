package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.Commands;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.cli.ProcessArguments;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.ThreadProgram;
import io.rocketbufs.cli.TransportsCommand;
import io.rocketbufs.cli.VersionOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code rocketlog} command. */
@Command(
        name = "rocketlog",
        description = "A durable log in Kafka's format: its broker, its clients, and tools for its files.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  rocketlog demo", "  rocketlog help produce"})
public final class Main {
    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    VersionOption version = new VersionOption();

    private Main() {}

    /** Runs a command, and exits the process with the command's exit code. */
    public static void main(String[] arguments) {
        System.exit(run(ProcessArguments.of(arguments), Streams.ofProcess("rocketlog")));
    }

    /** Runs a command on the calling thread, and returns its exit code. */
    static int run(String[] arguments, Streams streams) {
        boolean daemon = arguments.length > 0 && "broker".equals(arguments[0]);
        LogConfiguration.setDefaultLevel(daemon ? LogBrokerCommand.DEFAULT_LEVEL : "error");
        Programs processes = Programs.processes(Main.class);
        Programs threads = ThreadProgram.of("rocketlog", Main::run);
        return new Commands(new Main())
                .add("demo", own -> new LogDemoCommand(own, processes, threads))
                .add("broker", LogBrokerCommand::new)
                .add("topics", LogTopicsCommand::create)
                .add("produce", ProduceCommand::new)
                .add("consume", ConsumeCommand::new)
                .add("dump", DumpCommand::new)
                .add("verify", VerifyCommand::new)
                .add("bench", own -> LogBenchCommand.create(own, processes, threads))
                .add("stat", LogStatCommand::new)
                .add("transports", own -> new TransportsCommand(own, LogConfigurationOptions.create()))
                .run(arguments, streams);
    }
}
