package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.cli.Ports;
import io.rocketbufs.cli.ServerOptions;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.broker.Broker;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.broker.ReloadException;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.settings.SettingsException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code rbmq broker} command: a broker that runs in the foreground until a signal ends it. */
@Command(
        name = "broker",
        description = "Runs a broker in the foreground. Prints one line when it is ready: ready rbmq=PORT admin=PORT."
                + " SIGHUP reloads the configuration.",
        footer = {"", "Examples:", "  rbmq broker", "  rbmq broker --set rbmq.port=0 --ports-file rbmq.ports"})
final class BrokerCommand implements Callable<Integer> {
    /**
     * The default of rbmq.log-level. A broker that runs on a thread of another command does not apply it to the
     * process.
     */
    static final String DEFAULT_LEVEL = "info";

    private final Streams streams;

    @Mixin
    ConfigOptions config = RbmqConfiguration.options().withOthers(RbmqConfiguration::logLevel);

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ServerOptions server = new ServerOptions();

    BrokerCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        Config loaded = server.checkOnly()
                // A configuration file is usually shared with clients, so the clients' keys are checked too, even
                // though the broker does not read them.
                ? config.load(
                        BrokerSettings::from, ClientSettings::publisher, ClientSettings::subscriber, RocketBufs::check)
                : config.load(BrokerSettings::from, RocketBufs::check);
        BrokerSettings settings = BrokerSettings.from(loaded);
        try (RocketBufs rocketBufs = RocketBufs.open(loaded)) {
            if (server.checkOnly()) {
                settings.warnings().forEach(streams::say);
                server.reportValid(rocketBufs, config.describe(loaded), streams);
            } else {
                run(rocketBufs, settings);
            }
        }
        return ExitCode.DONE;
    }

    private void run(RocketBufs rocketBufs, BrokerSettings settings) throws InterruptedException {
        if (!settings.logLevel().equals(DEFAULT_LEVEL)) {
            LogConfiguration.changeDefaultLevel(settings.logLevel());
        }
        try (StopRequest stop = server.stopRequest();
                Broker broker = Broker.open(rocketBufs, settings, this::reloaded)) {
            broker.addReloadedPart(next -> () -> LogConfiguration.changeDefaultLevel(next.logLevel()));
            server.onHangUp(broker::reloadOnSignal);
            Ports ports = Ports.ofBroker("rbmq", broker.opened(), broker.addresses(), broker.adminAddress());
            server.serve(ports, stop, streams);
        }
    }

    /**
     * Rereads the file, the environment and the options.
     *
     * @throws ReloadException listing all errors
     */
    private BrokerSettings reloaded(BrokerSettings running) {
        BrokerSettings[] read = new BrokerSettings[1]; // reading these settings also reads the token files
        try {
            config.load(loaded -> read[0] = BrokerSettings.reloaded(loaded, running), RocketBufs::check);
            return read[0];
        } catch (SettingsException e) {
            throw new ReloadException(e.messages());
        } catch (CommandFailure e) {
            throw new ReloadException(List.of(e.getMessage()));
        }
    }
}
