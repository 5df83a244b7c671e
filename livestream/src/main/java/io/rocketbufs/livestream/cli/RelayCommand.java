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
import io.rocketbufs.livestream.ingest.IngestServer;
import io.rocketbufs.livestream.relay.Relay;
import io.rocketbufs.livestream.web.TlsIdentity;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code livestream relay}: takes streams in and replicates them to edges, until a signal ends it. */
@Command(
        name = "relay",
        description =
                "Takes streams in and replicates them to edges. Prints one line when it is ready: ready relay=PORT"
                        + " ingest=PORT")
final class RelayCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = Main.configOptions();

    @Mixin
    ServerOptions server = new ServerOptions();

    RelayCommand(Streams streams) {
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
            TlsIdentity identity = TlsIdentity.load(settings.tls());
            try (Relay relay = Relay.open(rocketBufs, settings.relay());
                    IngestServer ingest = IngestServer.open(relay, identity, settings.threads())) {
                streams.tell(portsOf(relay, ingest).readyLine());
                server.await(stop, streams);
            }
        }
        return ExitCode.DONE;
    }

    private static Ports portsOf(Relay relay, IngestServer ingest) {
        Ports ports = Ports.of(ServerProcess.RELAY, relay.address().getPort())
                .and(ServerProcess.INGEST, ingest.address().getPort());
        for (InetSocketAddress raw : ingest.rawAddresses()) {
            ports = ports.and("raw", raw.getPort());
        }
        return ports;
    }
}
