package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.LogConfiguration;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.client.EnvironmentSettings;
import io.rocketbufs.rbmq.client.TokenSettings;

/** The keys that the configuration of rbmq's commands may contain. */
final class RbmqConfiguration {
    private RbmqConfiguration() {}

    /** Returns options that accept a default port for any transport, even an unknown one. */
    static ConfigOptions options() {
        return new ConfigOptions("rbmq", "rbmq.default-ports");
    }

    /**
     * Returns the log level from the command line or a system property if it is valid for a broker; otherwise an empty
     * configuration.
     */
    static Config logLevel() {
        String level = LogConfiguration.explicitLevel();
        return level == null || !BrokerSettings.isLogLevel(level)
                ? ConfigFactory.empty()
                : ConfigFactory.empty()
                        .withValue("rbmq.log-level", ConfigValueFactory.fromAnyRef(level, "--log-level or log.level"));
    }

    /**
     * Returns the options of a command that connects to a broker, including the settings in environment variables. The
     * client's token file is read only once, so it may be a pipe.
     */
    static ConfigOptions clientOptions(TokenOption token, TlsOptions tls) {
        return options()
                .withOthers(() -> token.settings().withFallback(tls.settings()))
                .withEnvironment(higher -> EnvironmentSettings.from(System.getenv(), higher))
                .withReplacement(loaded -> TokenSettings.inlined(ConfigOptions.named(loaded, "rbmq")));
    }
}
