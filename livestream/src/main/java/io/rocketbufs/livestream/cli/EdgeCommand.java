package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.cli.ServerOptions;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.livestream.web.TlsIdentity;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code livestream edge}: serves viewers, until a signal ends it. */
@Command(
        name = "edge",
        description = "Subscribes to a relay's streams and serves viewers. Prints one line when viewers may come: ready"
                + " edge=PORT")
final class EdgeCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = Main.configOptions();

    @Mixin
    ServerOptions server = new ServerOptions();

    EdgeCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        Config loaded = config.load();
        LivestreamSettings settings = LivestreamSettings.from(loaded);
        try (StopRequest stop = StopRequest.bySignal();
                RocketBufs rocketBufs = RocketBufs.open(loaded)) {
            if (server.checkOnly()) {
                rocketBufs.transports();
                streams.tell("the configuration is good");
                return ExitCode.DONE;
            }
            // A transport that cannot be used is to be known now, and not when the relay is there.
            rocketBufs.localAddress(rocketBufs.settings().transport());
            TlsIdentity identity = TlsIdentity.load(settings.tls());
            try (Edge edge = Edge.open(rocketBufs, settings.edge(), identity, settings.threads())) {
                streams.tell(
                        Ports.of(ServerProcess.EDGE, edge.address().getPort()).readyLine());
                server.await(stop, streams);
            }
        }
        return ExitCode.DONE;
    }
}
