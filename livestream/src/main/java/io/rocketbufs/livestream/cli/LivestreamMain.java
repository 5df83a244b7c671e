package io.rocketbufs.livestream.cli;

import io.rocketbufs.cli.Commands;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.cli.ProcessArguments;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.VersionOption;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code livestream} command. */
@Command(
        name = "livestream",
        description = "Live video: received over TLS, replicated with RocketBufs, delivered over HTTPS.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  livestream demo", "  livestream help relay"})
public final class LivestreamMain {
    private static final Set<String> DAEMONS = Set.of(ServerProcess.RELAY, ServerProcess.EDGE);

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    VersionOption version = new VersionOption();

    private LivestreamMain() {}

    /** Runs a command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        System.exit(run(ProcessArguments.of(arguments), Streams.ofProcess("livestream")));
    }

    /** Runs a command on this thread. */
    static int run(String[] arguments, Streams streams) {
        boolean daemon = arguments.length > 0 && DAEMONS.contains(arguments[0]);
        LogConfiguration.setDefaultLevel(daemon ? "info" : "warn");
        Programs programs = Programs.processes(LivestreamMain.class);
        return new Commands(new LivestreamMain())
                .add(ServerProcess.RELAY, RelayCommand::new)
                .add(ServerProcess.EDGE, EdgeCommand::new)
                .add("demo", toStreams -> new VideoDemoCommand(toStreams, programs))
                .add("bench", toStreams -> new ViewerBenchCommand(toStreams, programs))
                .run(arguments, streams);
    }
}
