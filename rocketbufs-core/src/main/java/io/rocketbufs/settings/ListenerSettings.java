package io.rocketbufs.settings;

import com.typesafe.config.Config;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * The address of one of a broker's listeners. Clients with the same configuration connect to it.
 *
 * @param transport name of the transport
 * @param host name or address
 * @param port 0 selects any free port
 */
public record ListenerSettings(String transport, String host, int port) {
    private static final int MAX_PORT = 65_535;

    /**
     * Reads the broker's listeners: those of {@code listeners} or, if that is empty, one listener over
     * {@code rocketbufs.transport}.
     *
     * @param config resolved, with the modules' reference.conf
     * @param root the section of the broker's keys: {@code address}, {@code port}, {@code default-ports},
     *     {@code listeners}
     * @return at least one listener
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static List<ListenerSettings> from(Config config, String root) {
        SettingsReader reader = new SettingsReader(config, root);
        List<SettingsReader> entries = reader.list("listeners");
        if (entries.isEmpty()) {
            return List.of(atCommonAddress(reader, new SettingsReader(config, "rocketbufs").text("transport")));
        }
        return entries.stream()
                .map(entry -> listener(reader, entry.only("transport", "address", "port")))
                .toList();
    }

    /**
     * Reads the address that clients use to reach the broker over a transport: the address of the broker's first
     * listener for that transport or, without one, the common address and the transport's port.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static ListenerSettings reachedOver(String transport, Config config, String root) {
        return from(config, root).stream()
                .filter(listener -> listener.transport.equals(transport))
                .findFirst()
                .map(listener -> new ListenerSettings(transport, reachable(listener.host), listener.port))
                .orElseGet(() -> atCommonAddress(new SettingsReader(config, root), transport));
    }

    /** Resolves the host name. */
    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }

    private static ListenerSettings atCommonAddress(SettingsReader reader, String transport) {
        return new ListenerSettings(transport, reader.text("address"), port(reader, reader, transport));
    }

    private static ListenerSettings listener(SettingsReader reader, SettingsReader entry) {
        String transport = entry.text("transport");
        return new ListenerSettings(
                transport,
                entry.has("address") ? entry.text("address") : reader.text("address"),
                entry.has("port") ? port(reader, entry, transport) : defaultPort(reader, transport));
    }

    private static int port(SettingsReader reader, SettingsReader entry, String transport) {
        return entry.text("port").equals("auto") ? defaultPort(reader, transport) : entry.integer("port", 0, MAX_PORT);
    }

    private static int defaultPort(SettingsReader reader, String transport) {
        String key = "default-ports." + transport;
        if (!reader.has(key)) {
            throw reader.wrong("default-ports", "has no port for transport \"" + transport + "\"");
        }
        return reader.integer(key, 0, MAX_PORT);
    }

    /**
     * Replaces a wildcard address with the loopback address, because clients on this machine can reach the listener
     * there.
     */
    private static String reachable(String host) {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }
}
