package io.rocketbufs.rbmq.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigOriginFactory;
import com.typesafe.config.ConfigValueFactory;
import io.rocketbufs.settings.SettingsException;
import java.util.Map;

/**
 * The settings of a client in environment variables. An operator can set them without a file, and without a command
 * line, which other users of the machine could read.
 *
 * <table>
 * <caption>Environment variables</caption>
 * <tr><th>variable</th><th>key</th></tr>
 * <tr><td>{@code RBMQ_BROKER}</td><td>{@code rbmq.client.broker}</td></tr>
 * <tr><td>{@code RBMQ_TOKEN}</td><td>{@code rbmq.client.token}</td></tr>
 * <tr><td>{@code RBMQ_TOKEN_FILE}</td><td>{@code rbmq.client.token-file}</td></tr>
 * <tr><td>{@code RBMQ_CA}</td><td>{@code rocketbufs.tls.ca}, and {@code tls} for {@code rocketbufs.transport}</td></tr>
 * </table>
 *
 * An empty variable is ignored. A variable that sets the token overrides rbmq.client.token and rbmq.client.token-file.
 *
 * <p><b>Thread-safety:</b> any thread.
 */
public final class EnvironmentSettings {
    private static final String BROKER = "rbmq.client.broker";
    private static final String CA = "rocketbufs.tls.ca";
    private static final String TRANSPORT = "rocketbufs.transport";
    private static final String TOKEN = "rbmq.client.token";
    private static final String TOKEN_FILE = "rbmq.client.token-file";

    private EnvironmentSettings() {}

    /**
     * Returns the settings in environment variables.
     *
     * @param variables the environment
     * @param higher settings that take precedence; if they set the token by either key, the token variables are ignored
     * @throws SettingsException when the variables contradict each other
     */
    public static Config from(Map<String, String> variables, Config higher) {
        Config settings = encrypted(with(ConfigFactory.empty(), BROKER, variables, "RBMQ_BROKER"), variables);
        if (higher.hasPath(TOKEN) || higher.hasPath(TOKEN_FILE)) {
            return settings;
        }
        boolean hasToken = isSet(variables, "RBMQ_TOKEN");
        boolean hasFile = isSet(variables, "RBMQ_TOKEN_FILE");
        if (hasToken && hasFile) {
            throw new SettingsException(
                    ConfigOriginFactory.newSimple("environment"),
                    "RBMQ_TOKEN_FILE",
                    "cannot be set together with RBMQ_TOKEN");
        }
        if (!hasToken && !hasFile) {
            return settings;
        }
        Config token = with(settings, TOKEN, variables, "RBMQ_TOKEN");
        return with(token, TOKEN_FILE, variables, "RBMQ_TOKEN_FILE");
    }

    /** Selects TLS if a certificate authority is given, because it has no effect without TLS. */
    private static Config encrypted(Config settings, Map<String, String> variables) {
        return isSet(variables, "RBMQ_CA")
                ? with(settings, CA, variables, "RBMQ_CA")
                        .withValue(TRANSPORT, ConfigValueFactory.fromAnyRef("tls", "environment variable RBMQ_CA"))
                : settings;
    }

    private static boolean isSet(Map<String, String> variables, String name) {
        return !variables.getOrDefault(name, "").isEmpty();
    }

    private static Config with(Config settings, String key, Map<String, String> variables, String name) {
        String value = variables.getOrDefault(name, "");
        boolean isNeeded = !value.isEmpty() || !key.equals(BROKER);
        return isNeeded
                ? settings.withValue(key, ConfigValueFactory.fromAnyRef(value, "environment variable " + name))
                : settings;
    }
}
