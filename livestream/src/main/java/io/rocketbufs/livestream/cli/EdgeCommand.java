package io.rocketbufs.livestream.cli;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.web.TlsIdentity;
import picocli.CommandLine.Command;

/** The {@code livestream edge} command, which serves viewers until it receives a signal. */
@Command(
        name = "edge",
        description = "Subscribes to a relay's streams and serves viewers. Prints one line when it is ready: ready"
                + " edge=PORT",
        footer = {
            "",
            "Examples:",
            "  livestream edge",
            "  livestream edge --set livestream.relay.address=127.0.0.1:7620"
        })
final class EdgeCommand extends ServerCommand {
    EdgeCommand(Streams streams) {
        super(streams);
    }

    @Override
    void serve(RocketBufs rocketBufs, LivestreamSettings settings, StopRequest stop) throws InterruptedException {
        // Reports an unusable transport at startup, not only when the relay becomes reachable.
        rocketBufs.localAddress(rocketBufs.settings().transport());
        try (TlsIdentity identity = TlsIdentity.load(settings.tls());
                Edge edge = Edge.open(rocketBufs, settings.edge(), identity, settings.threads())) {
            server.serve(Ports.of(ServerProcess.EDGE, edge.address().getPort()), stop, streams);
        }
    }
}
