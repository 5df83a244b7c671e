package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code rbmq health} command, whose exit code shows whether a broker is ready. */
@Command(
        name = "health",
        description = "Exits with 0 when a broker is ready for clients, and with another code when it is not.",
        footer = {"", "Examples:", "  rbmq health", "  rbmq health --live --admin 127.0.0.1:7611"})
final class HealthCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    AdminOptions admin = new AdminOptions();

    @Option(names = "--live", description = "Checks only whether the broker's threads respond.")
    boolean live;

    HealthCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        streams.tell(admin.client().health(live));
        return ExitCode.DONE;
    }
}
