package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The command-line options that select TLS for connections to the broker and its admin interface. */
final class TlsOptions {
    private static final String TLS = "--tls";
    private static final String CA = "--ca";

    @Option(
            names = TLS,
            description = "Connects with TLS: over transport tls, whose default port is 7613, and to the admin"
                    + " interface with HTTPS. Client certificates are set with"
                    + " rocketbufs.tls.client-certificate.")
    boolean tls;

    @Option(
            names = CA,
            paramLabel = "FILE",
            description = "Certificates of the authorities to trust, in PEM format; implies --tls, and takes precedence"
                    + " over RBMQ_CA and the configuration.")
    Path ca;

    /** Returns true if at least one of the options is present. */
    boolean areUsed() {
        return tls || ca != null;
    }

    /** Returns the settings that the options specify; an empty configuration without options. */
    Config settings() {
        Config settings = ConfigFactory.empty();
        if (ca != null) {
            settings = with(settings, "rocketbufs.tls.ca", ca.toString(), CA);
        }
        if (!areUsed()) {
            return settings;
        }
        String option = tls ? TLS : CA;
        settings = with(settings, "rocketbufs.transport", "tls", option);
        settings = with(settings, "rbmq.publisher.transport", "", option);
        return with(settings, "rbmq.subscriber.transport", "", option);
    }

    private static Config with(Config settings, String key, String value, String option) {
        return settings.withValue(key, ConfigValueFactory.fromAnyRef(value, option));
    }
}
