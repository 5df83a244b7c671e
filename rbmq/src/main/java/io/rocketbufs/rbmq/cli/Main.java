package io.rocketbufs.rbmq.cli;

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

/** The {@code rbmq} command. */
@Command(
        name = "rbmq",
        description = "A message broker built with RocketBufs, its clients and its tools.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  rbmq demo", "  rbmq help pub"})
public final class Main {
    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    VersionOption version = new VersionOption();

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(ProcessArguments.of(arguments), Streams.ofProcess("rbmq")));
    }

    /** Runs a command on this thread. */
    static int run(String[] arguments, Streams streams) {
        boolean daemon = arguments.length > 0 && "broker".equals(arguments[0]);
        LogConfiguration.setDefaultLevel(daemon ? BrokerCommand.DEFAULT_LEVEL : "error");
        BenchPrograms programs = new BenchPrograms(Programs.processes(Main.class), ThreadProgram.of("rbmq", Main::run));
        return new Commands(new Main())
                .add("demo", own -> new DemoCommand(own, programs))
                .add("broker", BrokerCommand::new)
                .add("pub", PubCommand::new)
                .add("sub", SubCommand::new)
                .add("get", GetCommand::new)
                .add("request", RequestCommand::new)
                .add("respond", RespondCommand::new)
                .add("bench", own -> BenchCommand.create(own, programs))
                .add("topics", TopicsCommand::new)
                .add("clients", ClientsCommand::new)
                .add("top", TopCommand::new)
                .add("stat", StatCommand::new)
                .add("health", HealthCommand::new)
                .add("reload", ReloadCommand::new)
                .add("token", TokenCommand::new)
                .add("transports", own -> new TransportsCommand(own, RbmqConfiguration.options()))
                .run(arguments, streams);
    }
}
