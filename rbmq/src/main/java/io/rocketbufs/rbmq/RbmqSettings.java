package io.rocketbufs.rbmq;

import com.typesafe.config.Config;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.settings.SettingsReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;

/**
 * What {@code rbmq} says in the configuration; each key is explained in reference.conf.
 *
 * @param broker for a broker
 * @param client for publishers and subscribers alike, over {@code rocketbufs.transport}
 * @param publisher for publishers, over their own transport
 * @param subscriber for subscribers, over their own transport
 */
public record RbmqSettings(
        BrokerSettings broker, ClientSettings client, ClientSettings publisher, ClientSettings subscriber) {
    private static final String[] POLICIES = {"block", "disconnect", "skip"};
    private static final String[] POLICIES_OR_BROKER = {"block", "disconnect", "skip", "broker"};
    private static final long MIN_CAPACITY = 16;
    private static final long MAX_BYTES = 1L << 40;
    private static final long DAY_MS = 86_400_000;
    private static final int MAX_PORT = 65_535;

    /**
     * Reads and checks everything.
     *
     * @param config resolved, with the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException naming key, file and line of the first bad value
     */
    public static RbmqSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq");
        String transport = new SettingsReader(config, "rocketbufs").text("transport");
        BrokerSettings broker = broker(reader, listeners(reader, transport));
        checkExposure(reader, broker);
        return new RbmqSettings(
                broker,
                client(reader, transport, broker.listeners()),
                client(reader, orElse(reader.text("publisher.transport"), transport), broker.listeners()),
                client(reader, orElse(reader.text("subscriber.transport"), transport), broker.listeners()));
    }

    private static String orElse(String text, String whenEmpty) {
        return text.isEmpty() ? whenEmpty : text;
    }

    private static BrokerSettings broker(SettingsReader reader, List<ListenerSettings> listeners) {
        AdminSettings admin = new AdminSettings(
                reader.bool("admin.enabled"), reader.text("admin.address"), reader.integer("admin.port", 0, MAX_PORT));
        long capacity = reader.bytes("broker.capacity", MIN_CAPACITY, MAX_BYTES);
        return new BrokerSettings(
                listeners,
                admin,
                reader.texts("credentials"),
                reader.bool("insecure"),
                capacity,
                reader.bytes("broker.max-capacity", capacity, MAX_BYTES),
                new BrokerSettings.Slow(
                        policy(reader.oneOf("broker.slow-policy", POLICIES)),
                        reader.bytes("broker.lag-limit", 0, MAX_BYTES),
                        reader.millis("broker.lag-timeout", 1, DAY_MS),
                        reader.millis("broker.stall-timeout", 1, DAY_MS)),
                reader.millis("broker.join-timeout", 1, DAY_MS),
                reader.millis("broker.drain-timeout", 1, DAY_MS));
    }

    private static List<ListenerSettings> listeners(SettingsReader reader, String transport) {
        List<SettingsReader> entries = reader.list("listeners");
        if (entries.isEmpty()) {
            return List.of(new ListenerSettings(transport, reader.text("address"), port(reader, reader, transport)));
        }
        return entries.stream()
                .map(entry -> listener(reader, entry.only("transport", "address", "port")))
                .toList();
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

    private static ClientSettings client(SettingsReader reader, String transport, List<ListenerSettings> listeners) {
        HostPort broker = reader.text("client.broker").isEmpty()
                ? brokerOf(reader, transport, listeners)
                : hostPort(reader, "client.broker");
        long maxCapacity = reader.bytes("client.max-capacity", MIN_CAPACITY, MAX_BYTES);
        return new ClientSettings(
                transport,
                broker.host,
                broker.port,
                limited(reader, "client.name", defaultName()),
                limited(reader, "client.token", ""),
                reader.bool("publisher.flow-control"),
                reader.bytes("publisher.capacity", MIN_CAPACITY, MAX_BYTES),
                reader.bytes("subscriber.capacity", MIN_CAPACITY, maxCapacity),
                maxCapacity,
                policy(reader.oneOf("subscriber.slow-policy", POLICIES_OR_BROKER)),
                reader.millis("client.connect-timeout", 1, DAY_MS),
                reader.millis("publisher.drain-timeout", 0, DAY_MS));
    }

    /** A host and a port that nobody has looked up. */
    private record HostPort(String host, int port) {}

    private static HostPort brokerOf(SettingsReader reader, String transport, List<ListenerSettings> listeners) {
        return listeners.stream()
                .filter(listener -> listener.transport().equals(transport))
                .findFirst()
                .map(listener -> new HostPort(reachable(listener.host()), listener.port()))
                .orElseGet(() -> new HostPort(reader.text("address"), port(reader, reader, transport)));
    }

    /** Whoever listens everywhere is reached at home. */
    private static String reachable(String host) {
        return host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
    }

    private static HostPort hostPort(SettingsReader reader, String key) {
        String text = reader.text(key);
        int colon = text.lastIndexOf(':');
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (colon > 0 && port > 0 && port <= MAX_PORT) {
                return new HostPort(text.substring(0, colon), port);
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw reader.wrong(key, "\"" + text + "\" is not HOST:PORT");
    }

    private static String limited(SettingsReader reader, String key, String whenEmpty) {
        String text = reader.text(key);
        if (!GreetingLayout.fits(text)) {
            throw reader.wrong(key, "is longer than " + GreetingLayout.MAX_TEXT_LENGTH + " bytes");
        }
        return orElse(text, whenEmpty);
    }

    private static String defaultName() {
        return "pid " + ProcessHandle.current().pid();
    }

    private static SlowPolicy policy(String name) {
        return name.equals("broker") ? null : SlowPolicy.valueOf(name.toUpperCase(Locale.ROOT));
    }

    private static void checkExposure(SettingsReader reader, BrokerSettings broker) {
        reader.texts("credentials").forEach(token -> {
            if (token.isEmpty() || !GreetingLayout.fits(token)) {
                throw reader.wrong("credentials", "a token has 1 to " + GreetingLayout.MAX_TEXT_LENGTH + " bytes");
            }
        });
        for (ListenerSettings listener : broker.listeners()) {
            String key = reader.list("listeners").isEmpty() ? "address" : "listeners";
            checkExposure(reader, broker, key, listener.host());
        }
        if (broker.admin().enabled()) {
            checkExposure(reader, broker, "admin.address", broker.admin().host());
        }
    }

    private static void checkExposure(SettingsReader reader, BrokerSettings broker, String key, String host) {
        try {
            if (!InetAddress.getByName(host).isLoopbackAddress()
                    && broker.credentials().isEmpty()
                    && !broker.insecure()) {
                throw reader.wrong(
                        key,
                        "\"" + host + "\" is not loopback, so it needs rbmq.credentials; or rbmq.insecure = true"
                                + " to let everybody in");
            }
        } catch (UnknownHostException e) {
            throw reader.wrong(key, "\"" + host + "\" is not a known host");
        }
    }
}
