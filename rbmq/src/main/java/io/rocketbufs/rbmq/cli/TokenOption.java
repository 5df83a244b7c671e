package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.rbmq.client.TokenSettings;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** The command-line option that names a client's token file. */
final class TokenOption {
    /** The name of the option. */
    static final String NAME = "--token-file";

    @Option(
            names = NAME,
            paramLabel = "FILE",
            description = "File with the token to present to the broker; takes precedence over RBMQ_TOKEN,"
                    + " RBMQ_TOKEN_FILE and the configuration.")
    Path file;

    /**
     * Returns the settings with the token from the file; an empty configuration without the option. The file is read
     * only once, because it may be a pipe.
     */
    Config settings() {
        if (file == null) {
            return ConfigFactory.empty();
        }
        try {
            Map<String, Object> values = Map.of("token", TokenSettings.read(file), "token-file", "");
            return ConfigFactory.empty().withValue("rbmq.client", ConfigValueFactory.fromMap(values, NAME));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(ExitCode.BAD_CONFIGURATION, NAME + ": " + e.getMessage());
        }
    }
}
