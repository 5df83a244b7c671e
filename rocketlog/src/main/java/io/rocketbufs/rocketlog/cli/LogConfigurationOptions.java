package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.rocketlog.broker.LogBrokerSettings;

/** The keys that the configuration of rocketlog's commands may contain. */
final class LogConfigurationOptions {
    /** The key that selects the transport. */
    static final String TRANSPORT = "rocketbufs.transport";

    private LogConfigurationOptions() {}

    /** Returns configuration options that accept a default port for any transport, even an unknown transport. */
    static ConfigOptions create() {
        return new ConfigOptions("rocketlog", "rocketlog.default-ports");
    }

    /** Returns configuration options of a command that connects to a broker. */
    static ConfigOptions forClients() {
        return create().withReplacement(loaded -> ConfigOptions.named(loaded, "rocketlog"));
    }

    /**
     * Returns a configuration with a single transport, because a measurement uses only one transport. The value
     * {@code auto} is replaced by the transport that automatic selection uses for the first connection.
     */
    static Config withOneTransport(Config given) {
        String transport = new AutomaticTransports(given).resolve(given.getString(TRANSPORT));
        return given.withValue(TRANSPORT, ConfigValueFactory.fromAnyRef(transport, "selected transport"));
    }

    /**
     * Returns a configuration with the log level from the command line or a system property, if it is valid for a
     * broker.
     */
    static Config logLevel() {
        String level = LogConfiguration.explicitLevel();
        return level == null || !LogBrokerSettings.isLogLevel(level)
                ? ConfigFactory.empty()
                : ConfigFactory.empty()
                        .withValue(
                                "rocketlog.log-level",
                                ConfigValueFactory.fromAnyRef(level, "--log-level or log.level"));
    }
}
