package io.rocketbufs.rocketlog.cli;

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
import io.rocketbufs.rocketlog.broker.LogBroker;
import io.rocketbufs.rocketlog.broker.LogBrokerSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.log.LogException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code rocketlog broker}, which runs a broker in the foreground until a signal terminates it. */
@Command(
        name = "broker",
        description = "Runs a broker in the foreground. It keeps its logs in the directory rocketlog.dir. Prints one"
                + " line when it is ready: ready rocketlog=PORT admin=PORT.",
        footer = {
            "",
            "Examples:",
            "  rocketlog broker --set rocketlog.dir=/var/lib/rocketlog",
            "  rocketlog broker --set rocketlog.port=0 --ports-file rocketlog.ports"
        })
final class LogBrokerCommand implements Callable<Integer> {
    /** Name of the first listener's port in the ready line. */
    static final String MAIN_PORT = "rocketlog";

    /** The default value of rocketlog.log-level. */
    static final String DEFAULT_LEVEL = "info";

    private final Streams streams;

    @Mixin
    ConfigOptions config = LogConfigurationOptions.create().withOthers(LogConfigurationOptions::logLevel);

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ServerOptions server = new ServerOptions();

    LogBrokerCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        Config loaded = server.checkOnly()
                // The keys of clients are checked too, because clients usually share the configuration file.
                ? config.load(LogBrokerSettings::from, LogClientSettings::from, RocketBufs::check)
                : config.load(LogBrokerSettings::from, RocketBufs::check);
        LogBrokerSettings settings = LogBrokerSettings.from(loaded);
        try (RocketBufs rocketBufs = RocketBufs.open(loaded)) {
            if (server.checkOnly()) {
                server.reportValid(rocketBufs, config.describe(loaded), streams);
            } else {
                run(rocketBufs, settings);
            }
        } catch (LogException e) {
            throw CommandFailure.failed(e.getMessage());
        }
        return ExitCode.DONE;
    }

    private void run(RocketBufs rocketBufs, LogBrokerSettings settings) throws InterruptedException {
        if (!settings.logLevel().equals(DEFAULT_LEVEL)) {
            LogConfiguration.changeDefaultLevel(settings.logLevel());
        }
        try (StopRequest stop = server.stopRequest();
                LogBroker broker = LogBroker.open(rocketBufs, settings)) {
            Ports ports = Ports.ofBroker(MAIN_PORT, settings.listeners(), broker.addresses(), broker.adminAddress());
            server.serve(ports, stop, streams);
        }
    }
}
