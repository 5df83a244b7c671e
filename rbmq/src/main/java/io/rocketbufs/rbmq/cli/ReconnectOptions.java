package io.rocketbufs.rbmq.cli;

import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.ReconnectSettings;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options of commands that reconnect when they lose their connection. */
final class ReconnectOptions {
    @Option(
            names = "--no-reconnect",
            description = "Ends when the connection to the broker is lost. By default, the command reconnects.")
    boolean off;

    @Option(
            names = "--give-up-after",
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "Ends when the connection has been lost for this long; never by default.")
    Duration giveUpAfter;

    /** Checks that the options do not contradict each other. */
    void check() {
        if (off && giveUpAfter != null) {
            throw CommandFailure.usage("--no-reconnect and --give-up-after are mutually exclusive");
        }
        if (giveUpAfter != null && giveUpAfter.toMillis() < 1) {
            throw CommandFailure.usage("--give-up-after " + giveUpAfter.toMillis() + "ms: must be positive");
        }
    }

    /** Returns a copy of the settings with these options applied. */
    ClientSettings applyTo(ClientSettings settings) {
        return settings.withReconnect(applyTo(settings.reconnect()));
    }

    /** Returns a copy of the client options with these options applied. */
    ClientOptions applyTo(ClientOptions options) {
        return options.withReconnect(applyTo(options.publisher().reconnect()));
    }

    private ReconnectSettings applyTo(ReconnectSettings configured) {
        if (off) {
            return configured.withEnabled(false);
        }
        return giveUpAfter == null ? configured : configured.withGiveUpAfter(giveUpAfter.toMillis());
    }
}
