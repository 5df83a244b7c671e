package io.rocketbufs.rbmq.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.TokenFile;
import io.rocketbufs.settings.SettingsReader;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token of a client, from its configuration or from a file. Some files, such as pipes, can be read only once.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class TokenSettings {
    private static final Logger LOG = LoggerFactory.getLogger(TokenSettings.class);
    private static final String TOKEN = "client.token";
    private static final String FILE = "client.token-file";
    static final String RULE =
            "must have at most " + GreetingLayout.MAX_TEXT_LENGTH + " bytes of UTF-8, without control" + " characters";

    private TokenSettings() {}

    /**
     * Returns a copy of a configuration with the token in place of the name of its file, so that the copy can be read
     * several times.
     *
     * @param config a resolved configuration that includes the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException like {@link ClientSettings#from}
     */
    public static Config inlined(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq");
        if (reader.text(FILE).isEmpty()) {
            return config;
        }
        return config.withValue("rbmq." + TOKEN, ConfigValueFactory.fromAnyRef(of(config), "token file"))
                .withValue("rbmq." + FILE, ConfigValueFactory.fromAnyRef("", "token file"));
    }

    /**
     * Returns the configured token; empty if there is none.
     *
     * @throws io.rocketbufs.settings.SettingsException like {@link ClientSettings#from}
     */
    static String of(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq");
        String token = reader.text(TOKEN);
        if (!isValid(token)) {
            throw reader.wrong(TOKEN, RULE);
        }
        String file = reader.text(FILE);
        if (file.isEmpty()) {
            return token;
        }
        if (!token.isEmpty()) {
            throw reader.conflict(FILE, "cannot be set together with rbmq.client.token", TOKEN);
        }
        try {
            return read(Path.of(file));
        } catch (IllegalArgumentException e) {
            throw reader.wrong(FILE, e.getMessage());
        }
    }

    /** Returns true if a token is valid or empty. */
    static boolean isValid(String token) {
        return token.isEmpty() || GreetingLayout.isToken(token);
    }

    /**
     * Reads the token from a file. Logs a warning if all users of this machine can read the file.
     *
     * @throws IllegalArgumentException when the file cannot be read, or contains no valid token; the message is
     *     intended for the user and does not contain the token
     */
    public static String read(Path file) {
        String token = TokenFile.read(file);
        if (TokenFile.isExposed(file)) {
            LOG.warn(TokenFile.exposure(file.toString()));
        }
        return token;
    }
}
