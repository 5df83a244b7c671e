package io.rocketbufs.rbmq.client;

import com.typesafe.config.Config;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.rbmq.protocol.ListenerSettings;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The settings of a publisher or subscriber: its broker's address, its buffers and its timeouts.
 *
 * <p>A setting is a field of {@link Values}, which {@link #over} reads. Copies include it without further code.
 *
 * <p><b>Thread-safety:</b> immutable; each {@code with...} method returns a changed copy.
 */
public final class ClientSettings {
    private static final String[] POLICIES = {"block", "disconnect", "skip", "broker"};
    private static final long MIN_CAPACITY = 16;
    private static final long MAX_BYTES = 1L << 40;
    private static final long DAY_MS = 86_400_000;

    private final Values values;

    /** The values, which do not change after the construction of their settings. */
    private static final class Values implements Cloneable {
        private String transport;
        private String host;
        private int port;
        private String name;
        private String token;
        private boolean flowControl;
        private long publisherCapacity;
        private long subscriberCapacity;
        private long maxCapacity;
        private SlowPolicy slowPolicy;
        private long connectTimeoutMs;
        private long drainTimeoutMs;

        @Override
        public Values clone() {
            try {
                return (Values) super.clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private ClientSettings(Values values) {
        this.values = values;
    }

    private ClientSettings with(Consumer<Values> change) {
        Values changed = values.clone();
        change.accept(changed);
        return new ClientSettings(changed);
    }

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
        Values values = new Values();
        values.transport = transport;
        values.host = broker.host();
        values.port = broker.port();
        values.name = limited(reader, "client.name", "pid " + ProcessHandle.current().pid());
        values.token = limited(reader, "client.token", "");
        values.flowControl = reader.bool("publisher.flow-control");
        values.publisherCapacity = reader.bytes("publisher.capacity", MIN_CAPACITY, MAX_BYTES);
        values.subscriberCapacity = reader.bytes("subscriber.capacity", MIN_CAPACITY, maxCapacity);
        values.maxCapacity = maxCapacity;
        values.slowPolicy = policy(reader.oneOf("subscriber.slow-policy", POLICIES));
        values.connectTimeoutMs = reader.millis("client.connect-timeout", 1, DAY_MS);
        values.drainTimeoutMs = reader.millis("publisher.drain-timeout", 0, DAY_MS);
        return new ClientSettings(values);
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
        return new InetSocketAddress(values.host, values.port);
    }

    /** Returns the name of the transport. */
    public String transport() {
        return values.transport;
    }

    /** Returns a copy that connects over the given transport. */
    public ClientSettings withTransport(String transport) {
        return with(changed -> changed.transport = transport);
    }

    /** Returns the broker's name or address. */
    public String host() {
        return values.host;
    }

    /** Returns the broker's port. */
    public int port() {
        return values.port;
    }

    /** Returns a copy that connects to the given broker. */
    public ClientSettings withBroker(String host, int port) {
        return with(changed -> {
            changed.host = host;
            changed.port = port;
        });
    }

    /** Returns a copy that connects to the given broker. */
    public ClientSettings withBroker(InetSocketAddress address) {
        return withBroker(address.getHostString(), address.getPort());
    }

    /** Returns the name that the broker shows for this client; at most 255 bytes. */
    public String name() {
        return values.name;
    }

    /** Returns a copy with the given name. */
    public ClientSettings withName(String name) {
        return with(changed -> changed.name = name);
    }

    /** Returns the token presented to the broker; empty when the broker requires none; at most 255 bytes. */
    public String token() {
        return values.token;
    }

    /** Returns a copy with the given token. */
    public ClientSettings withToken(String token) {
        return with(changed -> changed.token = token);
    }

    /**
     * Returns false when a publisher's buffers are overwriting: it never waits, and a subscriber that falls behind
     * loses the oldest messages.
     */
    public boolean flowControl() {
        return values.flowControl;
    }

    /** Returns a copy with a publisher's flow control on or off. */
    public ClientSettings withFlowControl(boolean on) {
        return with(changed -> changed.flowControl = on);
    }

    /** Returns the bytes of a publisher's buffer for one topic; its longest message is 4 bytes shorter. */
    public long publisherCapacity() {
        return values.publisherCapacity;
    }

    /** Returns the bytes of a subscriber's buffer for one publisher of a topic, unless the publisher's is larger. */
    public long subscriberCapacity() {
        return values.subscriberCapacity;
    }

    /** Returns the largest buffer, in bytes, that a subscriber creates to match a publisher's. */
    public long maxCapacity() {
        return values.maxCapacity;
    }

    /** Returns a copy with the given capacities. Raises the largest capacity if necessary. */
    public ClientSettings withCapacities(long publisher, long subscriber) {
        return with(changed -> {
            changed.publisherCapacity = publisher;
            changed.subscriberCapacity = subscriber;
            changed.maxCapacity = Math.max(changed.maxCapacity, Math.max(publisher, subscriber));
        });
    }

    /** Returns the policy that the broker applies when this subscriber is slow; null selects the broker's setting. */
    public SlowPolicy slowPolicy() {
        return values.slowPolicy;
    }

    /** Returns the maximum time to connect and to complete the greeting, in milliseconds. */
    public long connectTimeoutMs() {
        return values.connectTimeoutMs;
    }

    /** Returns how long {@code close} waits for the broker to consume everything, in milliseconds. */
    public long drainTimeoutMs() {
        return values.drainTimeoutMs;
    }

    /** Returns a copy with the given drain timeout. */
    public ClientSettings withDrainTimeout(long timeoutMs) {
        return with(changed -> changed.drainTimeoutMs = timeoutMs);
    }
}
