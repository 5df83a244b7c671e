package io.rocketbufs.livestream.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.livestream.LivestreamSettings;
import io.rocketbufs.livestream.ingest.IngestServer;
import io.rocketbufs.livestream.relay.Relay;
import io.rocketbufs.livestream.web.TlsIdentity;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code livestream relay}: takes streams in and replicates them to edges, until a signal ends it. */
@Command(
        name = "relay",
        description =
                "Takes streams in and replicates them to edges. Prints one line when it is ready: ready relay=PORT"
                        + " ingest=PORT")
final class RelayCommand implements Callable<Integer> {
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
            TlsIdentity identity = TlsIdentity.load(settings.tls());
            try (Relay relay = Relay.open(rocketBufs, settings.relay());
                    IngestServer ingest = IngestServer.open(relay, identity, settings.threads())) {
                Main.tell(readyLine(relay, ingest));
                if (endWithStdin) {
                    daemon.endWith(System.in);
                }
                daemon.await();
            }
        }
        return ExitCode.DONE;
    }

    private static String readyLine(Relay relay, IngestServer ingest) {
        StringBuilder line = new StringBuilder("ready relay=" + relay.address().getPort());
        line.append(" ingest=").append(ingest.address().getPort());
        for (int i = 0; i < ingest.rawAddresses().size(); i++) {
            line.append(" raw").append(i == 0 ? "" : "-" + (i + 1)).append('=');
            line.append(ingest.rawAddresses().get(i).getPort());
        }
        return line.toString();
    }
}
