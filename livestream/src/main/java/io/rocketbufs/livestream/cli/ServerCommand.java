package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.ServerOptions;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.livestream.LivestreamSettings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command that runs a server until it receives a signal, or only checks its configuration. */
abstract class ServerCommand implements Callable<Integer> {
    /** The output that receives the ready line. */
    final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = new ConfigOptions(LivestreamSettings.ROOT);

    @Mixin
    ServerOptions server = new ServerOptions();

    ServerCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public final Integer call() throws InterruptedException {
        Config loaded = config.load(LivestreamSettings::from, RocketBufs::check);
        LivestreamSettings settings = LivestreamSettings.from(loaded);
        try (StopRequest stop = server.stopRequest();
                RocketBufs rocketBufs = RocketBufs.open(loaded)) {
            if (server.checkOnly()) {
                server.reportValid(rocketBufs, config.describe(loaded), streams);
            } else {
                serve(rocketBufs, settings, stop);
            }
        }
        return ExitCode.DONE;
    }

    /** Opens the server, prints the ready line, waits for the request to stop, and then closes the server. */
    abstract void serve(RocketBufs rocketBufs, LivestreamSettings settings, StopRequest stop)
            throws InterruptedException;
}
