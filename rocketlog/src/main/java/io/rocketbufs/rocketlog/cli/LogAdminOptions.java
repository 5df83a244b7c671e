package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.AdminInterface;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rocketlog.broker.LogBrokerSettings.AdminPort;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for commands that use a broker's admin interface. */
final class LogAdminOptions {
    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            converter = Units.AddressConverter.class,
            description = "Address of the broker's admin interface; by default, the configured address"
                    + " (127.0.0.1:7631 if none is configured).")
    InetSocketAddress admin;

    @Mixin
    ConfigOptions config = LogConfigurationOptions.create();

    /** Returns a client for the selected broker's admin interface. */
    AdminInterface client() {
        Config loaded = config.load(AdminPort::from);
        AdminPort configured = AdminPort.from(loaded);
        return of(
                admin == null
                        ? new HostPort(configured.host(), configured.port())
                        : new HostPort(admin.getHostString(), admin.getPort()));
    }

    /** Returns a client for the admin interface at the given address. */
    static AdminInterface of(HostPort address) {
        return new AdminInterface("a rocketlog broker", address);
    }

    /** Returns the state of a broker as a JSON object. */
    static String status(AdminInterface broker) {
        return broker.object("/api/status", "appendedBatches");
    }
}
