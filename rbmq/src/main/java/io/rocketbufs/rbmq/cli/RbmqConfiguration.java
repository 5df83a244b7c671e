package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.rbmq.client.EnvironmentSettings;
import io.rocketbufs.rbmq.client.TokenSettings;

/** The keys that the configuration of rbmq's commands may contain. */
final class RbmqConfiguration {
    private RbmqConfiguration() {}

    /** Returns options that accept a default port for any transport, known or not. */
    static ConfigOptions options() {
        return new ConfigOptions("rbmq", "rbmq.default-ports");
    }

    /**
     * Returns the options of a command that connects to a broker, including the settings in environment variables. They
     * read the client's token file once, so it may be a pipe.
     */
    static ConfigOptions clientOptions(TokenOption token, TlsOptions tls) {
        return options()
                .withOthers(() -> token.settings().withFallback(tls.settings()))
                .withEnvironment(higher -> EnvironmentSettings.from(System.getenv(), higher))
                .withReplacement(TokenSettings::inlined);
    }
}
