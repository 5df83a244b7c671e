package io.rocketbufs.rbmq.client;

import com.typesafe.config.Config;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.AnnounceLayout;
import io.rocketbufs.rbmq.protocol.GreetingLayout;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.ClientName;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The settings of a publisher or subscriber: its broker's addresses, its buffers and its timeouts.
 *
 * <p>Each setting is a field of {@link Values}, which {@link #over} reads. Copies therefore include all fields
 * automatically.
 *
 * <p><b>Thread-safety:</b> immutable; each {@code with...} method returns a changed copy.
 */
public final class ClientSettings {
    private static final String[] POLICIES = {"block", "disconnect", "skip", "broker"};
    private static final long MIN_CAPACITY = 16;
    private static final long MAX_BYTES = 1L << 40;
    private static final long DAY_MS = 86_400_000;

    private final Values values;

    /** The values, which do not change once the settings have been constructed. */
    private static final class Values implements Cloneable {
        private String transport;
        private List<HostPort> brokers;
        private String name;
        private String token;
        private boolean flowControl;
        private WhenUnheard whenUnheard;
        private boolean keepsLast;
        private long publisherCapacity;
        private long subscriberCapacity;
        private long maxCapacity;
        private SlowPolicy slowPolicy;
        private long connectTimeoutMs;
        private long drainTimeoutMs;
        private ReplySettings replies;
        private ReconnectSettings reconnect;
        private Unconfirmed unconfirmed;

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
     * @param config a resolved configuration that includes the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException when a value is invalid; the message names its key, file and
     *     line
     */
    public static ClientSettings from(Config config) {
        return over(configuredTransport(config), config, TokenSettings.of(config));
    }

    /**
     * Reads and checks the settings of a publisher. It connects over {@code rbmq.publisher.transport} if that key is
     * set.
     *
     * @throws io.rocketbufs.settings.SettingsException when a value is invalid; the message names its key, file and
     *     line
     */
    public static ClientSettings publisher(Config config) {
        return ofRole("publisher", config, TokenSettings.of(config));
    }

    /**
     * Reads and checks the settings of a subscriber. It connects over {@code rbmq.subscriber.transport} if that key is
     * set.
     *
     * @throws io.rocketbufs.settings.SettingsException when a value is invalid; the message names its key, file and
     *     line
     */
    public static ClientSettings subscriber(Config config) {
        return subscriber(config, TokenSettings.of(config));
    }

    /** Reads all settings of a subscriber except the token, because the token's file may be readable only once. */
    static ClientSettings subscriber(Config config, String token) {
        return ofRole("subscriber", config, token);
    }

    private static ClientSettings ofRole(String role, Config config, String token) {
        String transport = reader(config).text(role + ".transport");
        return over(transport.isEmpty() ? configuredTransport(config) : transport, config, token);
    }

    private static String configuredTransport(Config config) {
        return new SettingsReader(config, "rocketbufs").text("transport");
    }

    private static ClientSettings over(String transport, Config config, String token) {
        SettingsReader reader = reader(config);
        long maxCapacity = reader.bytes("client.max-capacity", MIN_CAPACITY, MAX_BYTES);
        Values values = new Values();
        values.transport = transport;
        values.brokers = reader.text("client.broker").isEmpty()
                ? List.of(address(ListenerSettings.reachedOver(transport, config, "rbmq")))
                : named(reader, "client.broker");
        values.name = name(reader);
        values.token = token;
        values.flowControl = reader.bool("publisher.flow-control");
        values.whenUnheard = whenUnheard(reader.oneOf("publisher.when-unheard", "send", "drop"));
        values.publisherCapacity = reader.bytes("publisher.capacity", MIN_CAPACITY, MAX_BYTES);
        values.subscriberCapacity = reader.bytes("subscriber.capacity", MIN_CAPACITY, maxCapacity);
        values.maxCapacity = maxCapacity;
        values.slowPolicy = policy(reader.oneOf("subscriber.slow-policy", POLICIES));
        values.connectTimeoutMs = reader.millis("client.connect-timeout", 1, DAY_MS);
        values.drainTimeoutMs = reader.millis("publisher.drain-timeout", 0, DAY_MS);
        values.replies = ReplySettings.from(reader);
        values.reconnect = ReconnectSettings.from(reader);
        values.unconfirmed = Unconfirmed.valueOf(
                reader.oneOf("client.reconnect.unconfirmed", "resend", "drop").toUpperCase(Locale.ROOT));
        return new ClientSettings(values);
    }

    private static SettingsReader reader(Config config) {
        return new SettingsReader(config, "rbmq");
    }

    private static HostPort address(ListenerSettings listener) {
        return new HostPort(listener.host(), listener.port());
    }

    private static List<HostPort> named(SettingsReader reader, String key) {
        try {
            return BrokerAddresses.parse(reader.text(key));
        } catch (IllegalArgumentException e) {
            throw reader.wrong(key, e.getMessage());
        }
    }

    private static String name(SettingsReader reader) {
        String name = reader.text("client.name");
        if (!GreetingLayout.fits(name)) {
            throw reader.wrong("client.name", "is longer than " + GreetingLayout.MAX_TEXT_LENGTH + " bytes");
        }
        return name.isEmpty() ? ClientName.ofProcess() : name;
    }

    private static WhenUnheard whenUnheard(String name) {
        return WhenUnheard.valueOf(name.toUpperCase(Locale.ROOT));
    }

    private static SlowPolicy policy(String name) {
        return name.equals("broker") ? null : SlowPolicy.valueOf(name.toUpperCase(Locale.ROOT));
    }

    /** Returns the broker's addresses, at least one, in the order in which they are tried. */
    public List<HostPort> brokers() {
        return values.brokers;
    }

    /** Returns the first of the broker's addresses; blocks while its name is looked up. */
    public InetSocketAddress broker() {
        return values.brokers.get(0).resolve();
    }

    /** Returns the name of the transport. */
    public String transport() {
        return values.transport;
    }

    /** Returns a copy that connects over the given transport; does not change the broker's addresses. */
    public ClientSettings withTransport(String transport) {
        return with(changed -> changed.transport = transport);
    }

    /**
     * Returns a copy that tries the given addresses in order.
     *
     * @throws IllegalArgumentException when {@code addresses} is empty
     */
    public ClientSettings withBrokers(List<HostPort> addresses) {
        if (addresses.isEmpty()) {
            throw new IllegalArgumentException("brokers=[]: at least one address is required");
        }
        return with(changed -> changed.brokers = List.copyOf(addresses));
    }

    /** Returns a copy that connects to the given broker. */
    public ClientSettings withBroker(String host, int port) {
        return withBrokers(List.of(new HostPort(host, port)));
    }

    /** Returns a copy that connects to the given broker. */
    public ClientSettings withBroker(InetSocketAddress address) {
        return withBroker(address.getHostString(), address.getPort());
    }

    /** Returns the name that the broker displays for this client; at most 255 bytes. */
    public String name() {
        return values.name;
    }

    /**
     * Returns a copy with the given name.
     *
     * @throws IllegalArgumentException when the name is longer than 255 bytes
     */
    public ClientSettings withName(String name) {
        checkLength("name", name);
        return with(changed -> changed.name = name);
    }

    /** Returns the token presented to the broker, with at most 255 bytes; empty if the broker requires none. */
    public String token() {
        return values.token;
    }

    /**
     * Returns a copy with the given token.
     *
     * @throws IllegalArgumentException when the token is longer than 255 bytes, or contains control characters
     */
    public ClientSettings withToken(String token) {
        if (!TokenSettings.isValid(token)) {
            throw new IllegalArgumentException("the token " + TokenSettings.RULE);
        }
        return with(changed -> changed.token = token);
    }

    /**
     * Returns false if a publisher's buffers are overwriting: the publisher never waits, and a subscriber that falls
     * behind loses the oldest messages.
     */
    public boolean flowControl() {
        return values.flowControl;
    }

    /** Returns a copy with a publisher's flow control on or off. */
    public ClientSettings withFlowControl(boolean on) {
        return with(changed -> changed.flowControl = on);
    }

    /** Returns how a publisher treats a message to a topic without subscribers. */
    public WhenUnheard whenUnheard() {
        return values.whenUnheard;
    }

    /** Returns a copy with the given treatment of messages to topics without subscribers. */
    public ClientSettings withWhenUnheard(WhenUnheard choice) {
        return with(changed -> changed.whenUnheard = choice);
    }

    /** Returns a copy with the given options for one topic. */
    ClientSettings withTopicOptions(TopicOptions options) {
        return with(changed -> changed.keepsLast = options.keepsLast());
    }

    /** Returns true if the publisher asks the broker to keep the topic's last message. */
    boolean keepsLast() {
        return values.keepsLast;
    }

    /** Returns the message that announces a topic. */
    ByteBuffer announcement(int bufferId, String topic) {
        return AnnounceLayout.write(bufferId, publisherCapacity(), keepsLast(), topic);
    }

    /** Returns the capacity of a publisher's buffer for one topic, in bytes; the longest message is 4 bytes shorter. */
    public long publisherCapacity() {
        return values.publisherCapacity;
    }

    /**
     * Returns the capacity in bytes of a subscriber's buffer for one publisher of a topic. If the publisher's buffer is
     * larger, its capacity is used instead.
     */
    public long subscriberCapacity() {
        return values.subscriberCapacity;
    }

    /** Returns the maximum capacity in bytes of a buffer that a subscriber creates to match a publisher's. */
    public long maxCapacity() {
        return values.maxCapacity;
    }

    /**
     * Returns a copy with the given capacities in bytes. Raises {@link #maxCapacity()} if necessary.
     *
     * @throws IllegalArgumentException when a capacity is not in the range 16 to 2^40
     */
    public ClientSettings withCapacities(long publisher, long subscriber) {
        checkRange("publisherCapacity", publisher, MIN_CAPACITY, MAX_BYTES);
        checkRange("subscriberCapacity", subscriber, MIN_CAPACITY, MAX_BYTES);
        return with(changed -> {
            changed.publisherCapacity = publisher;
            changed.subscriberCapacity = subscriber;
            changed.maxCapacity = Math.max(changed.maxCapacity, Math.max(publisher, subscriber));
        });
    }

    /**
     * Returns a copy with the given maximum capacity, in bytes, of the buffers that a subscriber creates to match a
     * publisher's.
     *
     * @throws IllegalArgumentException when the limit is less than {@link #subscriberCapacity()} or more than 2^40
     */
    public ClientSettings withMaxCapacity(long maxCapacity) {
        checkRange("maxCapacity", maxCapacity, subscriberCapacity(), MAX_BYTES);
        return with(changed -> changed.maxCapacity = maxCapacity);
    }

    /** Returns the policy that the broker applies when this subscriber is slow; null selects the broker's setting. */
    public SlowPolicy slowPolicy() {
        return values.slowPolicy;
    }

    /** Returns a copy with the given policy; null selects the broker's setting. */
    public ClientSettings withSlowPolicy(SlowPolicy policy) {
        return with(changed -> changed.slowPolicy = policy);
    }

    /** Returns the time limit for connecting to one address, including the greeting, in milliseconds. */
    public long connectTimeoutMs() {
        return values.connectTimeoutMs;
    }

    /**
     * Returns a copy with the given time limit for connecting to one address, in milliseconds.
     *
     * @throws IllegalArgumentException when the limit is less than a millisecond or more than a day
     */
    public ClientSettings withConnectTimeout(long timeoutMs) {
        checkRange("connectTimeoutMs", timeoutMs, 1, DAY_MS);
        return with(changed -> changed.connectTimeoutMs = timeoutMs);
    }

    /** Returns the maximum time that {@code close} waits for the broker to consume everything, in milliseconds. */
    public long drainTimeoutMs() {
        return values.drainTimeoutMs;
    }

    /**
     * Returns a copy with the given drain timeout in milliseconds.
     *
     * @throws IllegalArgumentException when the timeout is negative or more than a day
     */
    public ClientSettings withDrainTimeout(long timeoutMs) {
        checkRange("drainTimeoutMs", timeoutMs, 0, DAY_MS);
        return with(changed -> changed.drainTimeoutMs = timeoutMs);
    }

    /** Returns the settings of replies to requests. */
    public ReplySettings replies() {
        return values.replies;
    }

    /** Returns a copy with the given settings of replies. */
    public ClientSettings withReplies(ReplySettings replies) {
        return with(changed -> changed.replies = replies);
    }

    /** Returns the settings for replacing lost connections. */
    public ReconnectSettings reconnect() {
        return values.reconnect;
    }

    /** Returns a copy with the given settings for replacing lost connections. */
    public ClientSettings withReconnect(ReconnectSettings reconnect) {
        return with(changed -> changed.reconnect = reconnect);
    }

    /** Returns how a publisher treats messages that were not confirmed when its connection was lost. */
    public Unconfirmed unconfirmed() {
        return values.unconfirmed;
    }

    /** Returns a copy with the given treatment of messages that were not confirmed when the connection was lost. */
    public ClientSettings withUnconfirmed(Unconfirmed choice) {
        return with(changed -> changed.unconfirmed = choice);
    }

    /**
     * Returns true if a publisher keeps messages until they are confirmed, so that it can send them again. Without flow
     * control, messages are never confirmed.
     */
    boolean keepsUnconfirmed() {
        return values.reconnect.enabled() && values.flowControl && values.unconfirmed == Unconfirmed.RESEND;
    }

    private static void checkRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + "=" + value + " is not in the range " + min + " to " + max);
        }
    }

    private static void checkLength(String what, String text) {
        if (!GreetingLayout.fits(text)) {
            throw new IllegalArgumentException(
                    what + " is longer than " + GreetingLayout.MAX_TEXT_LENGTH + " bytes of UTF-8");
        }
    }

    /** Returns the values, with three asterisks in place of the token. */
    @Override
    public String toString() {
        return "ClientSettings[transport=" + transport() + ", brokers=" + brokers() + ", name=" + name() + ", token="
                + (token().isEmpty() ? "" : "***") + ", flowControl=" + flowControl() + ", whenUnheard="
                + whenUnheard() + ", publisherCapacity=" + publisherCapacity() + ", subscriberCapacity="
                + subscriberCapacity() + ", maxCapacity="
                + maxCapacity() + ", slowPolicy=" + slowPolicy() + ", connectTimeoutMs=" + connectTimeoutMs()
                + ", drainTimeoutMs=" + drainTimeoutMs() + ", replies=" + replies() + ", reconnect=" + reconnect()
                + ", unconfirmed=" + unconfirmed() + "]";
    }
}
