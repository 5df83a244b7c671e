package io.rocketbufs.livestream.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.ingest.IngestServer;
import io.rocketbufs.livestream.relay.Relay;
import io.rocketbufs.web.TlsIdentity;
import java.net.InetSocketAddress;
import picocli.CommandLine.Command;

/**
 * The {@code livestream relay} command, which receives streams and replicates them to edges until it receives a signal.
 */
@Command(
        name = "relay",
        description =
                "Receives streams and replicates them to edges. Prints one line when it is ready: ready relay=PORT"
                        + " ingest=PORT",
        footer = {"", "Examples:", "  livestream relay", "  livestream relay --check-config"})
final class RelayCommand extends ServerCommand {
    RelayCommand(Streams streams) {
        super(streams);
    }

    @Override
    void serve(RocketBufs rocketBufs, LivestreamSettings settings, StopRequest stop) throws InterruptedException {
        try (TlsIdentity identity = TlsIdentity.load(settings.tls());
                Relay relay = Relay.open(rocketBufs, settings.relay());
                IngestServer ingest = IngestServer.open(relay, identity, settings.threads())) {
            server.serve(portsOf(relay, ingest), stop, streams);
        }
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
