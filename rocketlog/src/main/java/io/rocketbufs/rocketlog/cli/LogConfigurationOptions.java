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
    /** The key of the transport. */
    static final String TRANSPORT = "rocketbufs.transport";

    private LogConfigurationOptions() {}

    /** Returns options that accept a default port for any transport, known or not. */
    static ConfigOptions create() {
        return new ConfigOptions("rocketlog", "rocketlog.default-ports");
    }

    /**
     * Returns a configuration with one transport: a measurement is of one transport, so automatic selection stands for
     * the first one.
     */
    static Config withOneTransport(Config given) {
        String transport = new AutomaticTransports(given).resolve(given.getString(TRANSPORT));
        return given.withValue(TRANSPORT, ConfigValueFactory.fromAnyRef(transport, "selected transport"));
    }

    /** Returns the log level of the command line or of a system property, if it is a level that a broker can have. */
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
