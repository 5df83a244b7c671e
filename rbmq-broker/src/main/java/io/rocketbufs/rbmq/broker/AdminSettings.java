package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import java.net.InetSocketAddress;

/**
 * The settings of the broker's admin interface over HTTP.
 *
 * @param enabled false disables the admin interface
 * @param host name or address
 * @param port 0 selects any free port
 */
public record AdminSettings(boolean enabled, String host, int port) {
    private static final int MAX_PORT = 65_535;

    /**
     * Reads and checks {@code rbmq.admin}.
     *
     * @param config resolved, with the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static AdminSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq.admin");
        return new AdminSettings(reader.bool("enabled"), reader.text("address"), reader.integer("port", 0, MAX_PORT));
    }

    /** Resolves the host name. */
    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }
}
