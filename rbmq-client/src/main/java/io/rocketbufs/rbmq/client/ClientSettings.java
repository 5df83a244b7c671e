package io.rocketbufs.rbmq.client;

import com.typesafe.config.Config;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.ListenerSettings;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.Locale;

/**
 * The settings of a publisher or subscriber: its broker's address, its buffers and its timeouts.
 *
 * @param transport name of the transport
 * @param host the broker's name or address
 * @param port the broker's port
 * @param name name that the broker shows for this client; at most 255 bytes
 * @param token token presented to the broker; empty when the broker requires none; at most 255 bytes
 * @param flowControl false makes a publisher's buffers overwriting, so that it never waits and a subscriber that falls
 *     behind loses the oldest messages
 * @param publisherCapacity capacity of a publisher's buffer for one topic, in bytes; the longest message is 4 bytes
 *     shorter
 * @param subscriberCapacity capacity of a subscriber's buffer for one publisher of a topic, in bytes, unless the
 *     publisher's is larger
 * @param maxCapacity capacity of the largest buffer that a subscriber creates to match a publisher's, in bytes
 * @param slowPolicy policy that the broker applies when this subscriber is slow; null selects the broker's setting
 * @param connectTimeoutMs maximum time to connect and to complete the greeting
 * @param drainTimeoutMs maximum time that {@code close} waits for the broker to consume everything
 */
public record ClientSettings(
        String transport,
        String host,
        int port,
        String name,
        String token,
        boolean flowControl,
        long publisherCapacity,
        long subscriberCapacity,
        long maxCapacity,
        SlowPolicy slowPolicy,
        long connectTimeoutMs,
        long drainTimeoutMs) {
    private static final String[] POLICIES = {"block", "disconnect", "skip", "broker"};
    private static final long MIN_CAPACITY = 16;
    private static final long MAX_BYTES = 1L << 40;
    private static final long DAY_MS = 86_400_000;

    /**
     * Reads and checks the settings of a client that connects over {@code rocketbufs.transport}.
     *
     * @param config resolved, with the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static ClientSettings from(Config config) {
        return over(new SettingsReader(config, "rocketbufs").text("transport"), config);
    }

    /**
     * Reads and checks the settings of a publisher, which connects over {@code rbmq.publisher.transport} if that is
     * set.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static ClientSettings publisher(Config config) {
        return ofRole("publisher", config);
    }

    /**
     * Reads and checks the settings of a subscriber, which connects over {@code rbmq.subscriber.transport} if that is
     * set.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static ClientSettings subscriber(Config config) {
        return ofRole("subscriber", config);
    }

    private static ClientSettings ofRole(String role, Config config) {
        String transport = reader(config).text(role + ".transport");
        return transport.isEmpty() ? from(config) : over(transport, config);
    }

    private static ClientSettings over(String transport, Config config) {
        SettingsReader reader = reader(config);
        ListenerSettings broker = reader.text("client.broker").isEmpty()
                ? ListenerSettings.reachedOver(transport, config)
                : named(reader, "client.broker", transport);
        long maxCapacity = reader.bytes("client.max-capacity", MIN_CAPACITY, MAX_BYTES);
        return new ClientSettings(
                transport,
                broker.host(),
                broker.port(),
                limited(reader, "client.name", "pid " + ProcessHandle.current().pid()),
                limited(reader, "client.token", ""),
                reader.bool("publisher.flow-control"),
                reader.bytes("publisher.capacity", MIN_CAPACITY, MAX_BYTES),
                reader.bytes("subscriber.capacity", MIN_CAPACITY, maxCapacity),
                maxCapacity,
                policy(reader.oneOf("subscriber.slow-policy", POLICIES)),
                reader.millis("client.connect-timeout", 1, DAY_MS),
                reader.millis("publisher.drain-timeout", 0, DAY_MS));
    }

    private static SettingsReader reader(Config config) {
        return new SettingsReader(config, "rbmq");
    }

    private static ListenerSettings named(SettingsReader reader, String key, String transport) {
        String text = reader.text(key);
        try {
            HostPort parsed = HostPort.parse(text);
            if (parsed.port() > 0) {
                return new ListenerSettings(transport, parsed.host(), parsed.port());
            }
        } catch (IllegalArgumentException e) {
            throw reader.wrong(key, e.getMessage());
        }
        throw reader.wrong(key, "\"" + text + "\" is not HOST:PORT with a port from 1 to 65535");
    }

    private static String limited(SettingsReader reader, String key, String whenEmpty) {
        String text = reader.text(key);
        if (!GreetingLayout.fits(text)) {
            throw reader.wrong(key, "is longer than " + GreetingLayout.MAX_TEXT_LENGTH + " bytes");
        }
        return text.isEmpty() ? whenEmpty : text;
    }

    private static SlowPolicy policy(String name) {
        return name.equals("broker") ? null : SlowPolicy.valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Returns the broker's address; blocks while its name is looked up. */
    public InetSocketAddress broker() {
        return new InetSocketAddress(host, port);
    }

    /** Returns a copy that connects to the given broker. */
    public ClientSettings withBroker(String newHost, int newPort) {
        return new ClientSettings(
                transport,
                newHost,
                newPort,
                name,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** Returns a copy that connects to the given broker. */
    public ClientSettings withBroker(InetSocketAddress address) {
        return withBroker(address.getHostString(), address.getPort());
    }

    /** Returns a copy that connects over the given transport. */
    public ClientSettings withTransport(String newTransport) {
        return new ClientSettings(
                newTransport,
                host,
                port,
                name,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** Returns a copy with the given name. */
    public ClientSettings withName(String newName) {
        return new ClientSettings(
                transport,
                host,
                port,
                newName,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** Returns a copy with the given token. */
    public ClientSettings withToken(String newToken) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                newToken,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** Returns a copy with a publisher's flow control on or off. */
    public ClientSettings withFlowControl(boolean on) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                token,
                on,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** Returns a copy with the given capacities. */
    public ClientSettings withCapacities(long publisher, long subscriber) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                token,
                flowControl,
                publisher,
                subscriber,
                Math.max(maxCapacity, Math.max(publisher, subscriber)),
                slowPolicy,
                connectTimeoutMs,
                drainTimeoutMs);
    }

    /** Returns a copy with the given drain timeout. */
    public ClientSettings withDrainTimeout(long timeoutMs) {
        return new ClientSettings(
                transport,
                host,
                port,
                name,
                token,
                flowControl,
                publisherCapacity,
                subscriberCapacity,
                maxCapacity,
                slowPolicy,
                connectTimeoutMs,
                timeoutMs);
    }
}
