package io.rocketbufs.livestream.cli;

import io.rocketbufs.cli.Commands;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.cli.Streams;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code livestream} command. */
@Command(
        name = "livestream",
        description = "Live video: taken in over TLS, replicated with RocketBufs, delivered over HTTPS.",
        synopsisSubcommandLabel = "COMMAND")
public final class Main {
    private static final Set<String> DAEMONS = Set.of(ServerProcess.RELAY, ServerProcess.EDGE);

    @Mixin
    CommonOptions common = new CommonOptions();

    private Main() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(arguments, Streams.ofProcess("livestream")));
    }

    /** Runs a command on this thread. */
    static int run(String[] arguments, Streams streams) {
        boolean daemon = arguments.length > 0 && DAEMONS.contains(arguments[0]);
        LogConfiguration.setDefaultLevel(daemon ? "info" : "warn");
        return new Commands(new Main())
                .add(ServerProcess.RELAY, RelayCommand::new)
                .add(ServerProcess.EDGE, EdgeCommand::new)
                .add("demo", DemoCommand::new)
                .add("bench", BenchCommand::new)
                .run(arguments, streams);
    }

    static ConfigOptions configOptions() {
        return new ConfigOptions("livestream");
    }
}
