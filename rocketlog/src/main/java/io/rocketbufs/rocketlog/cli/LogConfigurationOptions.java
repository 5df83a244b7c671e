package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.rocketlog.broker.LogBrokerSettings;

/** The keys that the configuration of rocketlog's commands may contain. */
final class LogConfigurationOptions {
    private LogConfigurationOptions() {}

    /** Returns options that accept a default port for any transport, known or not. */
    static ConfigOptions create() {
        return new ConfigOptions("rocketlog", "rocketlog.default-ports");
    }

    /** Returns the log level from the command line or the system property, if a broker accepts it. */
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
