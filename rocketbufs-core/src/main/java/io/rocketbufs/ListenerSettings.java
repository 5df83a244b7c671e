package io.rocketbufs;

import com.typesafe.config.Config;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.settings.SettingsReader;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The address of one of a broker's listeners. Clients with the same configuration connect to it.
 *
 * @param transport name of the transport
 * @param host host name or IP address
 * @param port port number; 0 selects any free port
 * @param isOptional true if the configuration does not name the transport explicitly; the broker then continues without
 *     this listener if it cannot be opened
 */
public record ListenerSettings(String transport, String host, int port, boolean isOptional) {
    private static final int MAX_PORT = 65_535;
    /** The transport to assume if no installed transport reaches every machine. */
    private static final String USUAL = "tcp";

    /** Creates the address of a mandatory listener, without which the broker does not start. */
    public ListenerSettings(String transport, String host, int port) {
        this(transport, host, port, false);
    }

    /**
     * Reads the broker's listeners from {@code listeners}. If that list is empty, reads one listener over
     * {@code rocketbufs.transport} instead. The transport {@code auto} expands to one listener that reaches every
     * machine and optional listeners for clients on this machine.
     *
     * @param config the resolved configuration, including the modules' reference.conf
     * @param root the section of the broker's keys: {@code address}, {@code port}, {@code default-ports},
     *     {@code listeners}
     * @return at least one listener
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first invalid value
     */
    public static List<ListenerSettings> from(Config config, String root) {
        SettingsReader reader = new SettingsReader(config, root);
        List<SettingsReader> entries = reader.list("listeners");
        if (entries.isEmpty()) {
            String transport = new SettingsReader(config, "rocketbufs").text("transport");
            return expanded(transport, config, name -> atCommonAddress(reader, name));
        }
        return entries.stream()
                .map(entry -> entry.only("transport", "address", "port"))
                .flatMap(entry ->
                        expanded(entry.text("transport"), config, name -> listener(reader, entry, name)).stream())
                .toList();
    }

    /**
     * Returns the listeners to open: several if the transport is {@code auto}, where all but the first are optional.
     */
    private static List<ListenerSettings> expanded(
            String transport, Config config, Function<String, ListenerSettings> listener) {
        if (!AutomaticTransports.isAutomatic(transport)) {
            return List.of(listener.apply(transport));
        }
        List<ListenerSettings> listeners = new ArrayList<>();
        for (String name : automatic(config)) {
            ListenerSettings each = listener.apply(name);
            listeners.add(listeners.isEmpty() ? each : each.asOptional());
        }
        return listeners;
    }

    /** Returns the transports that {@code auto} expands to, starting with the transport of the first connection. */
    private static List<String> automatic(Config config) {
        try {
            return new AutomaticTransports(config).listening();
        } catch (TransportException e) {
            // Settings can be read even if no transport is installed. Opening the transport reports that it is missing.
            return List.of(USUAL);
        }
    }

    private ListenerSettings asOptional() {
        return new ListenerSettings(transport, host, port, true);
    }

    /**
     * Reads the address at which clients reach the broker over a transport. This is the address of the broker's first
     * listener for that transport or, if there is no such listener, the common address and port, where the port
     * {@code auto} selects the transport's default port. For the transport {@code auto}, the result is the address for
     * the first connection.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first invalid value
     */
    public static ListenerSettings reachedOver(String named, Config config, String root) {
        String transport =
                AutomaticTransports.isAutomatic(named) ? automatic(config).get(0) : named;
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

    private static ListenerSettings listener(SettingsReader reader, SettingsReader entry, String transport) {
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
     * Replaces a wildcard address with the loopback address, at which clients on this machine can reach the listener.
     */
    private static String reachable(String host) {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }
}
