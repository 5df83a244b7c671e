package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.livestream.web.TlsIdentity;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code livestream edge}: serves viewers, until a signal ends it. */
@Command(
        name = "edge",
        description = "Subscribes to a relay's streams and serves viewers. Prints one line when viewers may come: ready"
                + " edge=PORT")
final class EdgeCommand implements Callable<Integer> {
    @Mixin
    ConfigOptions config = new ConfigOptions();

    @Option(names = "--check-config", description = "Checks the configuration, and does nothing else.")
    boolean checkOnly;

    @Option(names = "--end-with-stdin", hidden = true, description = "Ends when its standard input does.")
    boolean endWithStdin;

    @Override
    public Integer call() throws InterruptedException {
        Config loaded = config.load();
        LivestreamSettings settings = LivestreamSettings.from(loaded);
        try (Daemon daemon = Daemon.begin();
                RocketBufs rocketBufs = RocketBufs.open(loaded)) {
            if (checkOnly) {
                rocketBufs.transports();
                Main.tell("the configuration is good");
                return ExitCode.DONE;
            }
            // A transport that cannot be used is to be known now, and not when the relay is there.
            rocketBufs.localAddress(rocketBufs.settings().transport());
            TlsIdentity identity = TlsIdentity.load(settings.tls());
            try (Edge edge = Edge.open(rocketBufs, settings.edge(), identity, settings.threads())) {
                Main.tell("ready edge=" + edge.address().getPort());
                if (endWithStdin) {
                    daemon.endWith(System.in);
                }
                daemon.await();
            }
        }
        return ExitCode.DONE;
    }
}
