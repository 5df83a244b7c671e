package io.rocketbufs.rbmq.client;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.text.HostPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * The options of an {@link RbmqClient}: one {@link ClientSettings} for each of its two connections, and the options
 * that the connections share. Each {@code with} method returns a copy in which both connections are changed. Values
 * that are not changed come from the configuration, whose keys have the prefix {@code rbmq.client},
 * {@code rbmq.publisher} or {@code rbmq.subscriber}.
 *
 * <p>{@link #publisher()} and {@link #subscriber()} return the settings of the two connections, for programs that
 * connect a {@link Publisher} or {@link Subscriber} themselves.
 *
 * <p><b>Thread-safety:</b> immutable.
 */
public final class ClientOptions {
    private final ClientSettings publisher;
    private final ClientSettings subscriber;
    private final SubscriberCallback callback;
    /** Null if the application has set no callback. */
    private final PublisherCallback publisherCallback;

    private final Supplier<RocketBufs> opening;
    /** The RocketBufs that the application has supplied; null if the client opens its own. */
    private final RocketBufs given;

    private ClientOptions(
            ClientSettings publisher,
            ClientSettings subscriber,
            SubscriberCallback callback,
            PublisherCallback publisherCallback,
            Supplier<RocketBufs> opening,
            RocketBufs given) {
        this.publisher = publisher;
        this.subscriber = subscriber;
        this.callback = callback;
        this.publisherCallback = publisherCallback;
        this.opening = opening;
        this.given = given;
    }

    /**
     * Returns the options from the system properties, from the environment variables of {@link EnvironmentSettings},
     * and from application.conf, in order of precedence. All of them override the modules' reference.conf.
     *
     * @throws io.rocketbufs.settings.SettingsException when a value is invalid; the message names its key, file and
     *     line
     */
    public static ClientOptions defaults() {
        return from(inEnvironment(System.getenv()));
    }

    /** Returns the configuration on which {@link #defaults()} is based, for the given environment variables. */
    static Config inEnvironment(Map<String, String> variables) {
        Config environment = EnvironmentSettings.from(variables, ConfigFactory.defaultOverrides());
        return ConfigFactory.load(environment.withFallback(ConfigFactory.defaultApplication()));
    }

    /**
     * Returns the options from a configuration, ignoring environment variables. The transport of each connection is
     * {@code rbmq.publisher.transport} or {@code rbmq.subscriber.transport} if that key is set, otherwise
     * {@code rocketbufs.transport}.
     *
     * @param config a resolved configuration that includes the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException when a value is invalid; the message names its key, file and
     *     line
     */
    public static ClientOptions from(Config config) {
        ClientSettings publisher = ClientSettings.publisher(config);
        return new ClientOptions(
                publisher,
                ClientSettings.subscriber(config, publisher.token()),
                new SubscriberCallback() {},
                null,
                () -> RocketBufs.open(config),
                null);
    }

    /**
     * Returns a copy that tries the given addresses in order. If a name has several addresses, all of them are tried.
     *
     * @param brokers one or more {@code HOST:PORT} addresses, separated by commas; an IPv6 address is in brackets, as
     *     in {@code [::1]:7610}
     * @throws IllegalArgumentException when {@code brokers} does not have this form
     */
    public ClientOptions withBrokers(String brokers) {
        List<HostPort> addresses = BrokerAddresses.parse(brokers);
        return with(settings -> settings.withBrokers(addresses));
    }

    /** Returns a copy that connects over the given transport; does not change the broker's addresses. */
    public ClientOptions withTransport(String transport) {
        return with(settings -> settings.withTransport(transport));
    }

    /**
     * Returns a copy with the given name, which the broker displays for this client.
     *
     * @throws IllegalArgumentException when the name is longer than 255 bytes
     */
    public ClientOptions withName(String name) {
        return with(settings -> settings.withName(name));
    }

    /**
     * Returns a copy that presents the given token to the broker.
     *
     * @throws IllegalArgumentException when the token is longer than 255 bytes, or contains control characters
     */
    public ClientOptions withToken(String token) {
        return with(settings -> settings.withToken(token));
    }

    /**
     * Returns a copy that presents the token in the given file, which is read immediately. Trailing spaces and line
     * breaks and a leading byte order mark are ignored.
     *
     * @throws IllegalArgumentException when the file cannot be read, or does not contain a single line of 1 to 255
     *     bytes of UTF-8
     */
    public ClientOptions withTokenFile(Path file) {
        return withToken(TokenSettings.read(file));
    }

    /**
     * Returns a copy with flow control on or off. Without flow control, publishing never waits, and a subscriber that
     * falls behind loses the oldest messages.
     */
    public ClientOptions withFlowControl(boolean on) {
        return with(settings -> settings.withFlowControl(on));
    }

    /**
     * Returns a copy with buffers of the given capacities in bytes.
     *
     * @param publisher capacity for each topic to which the client publishes; the longest message is 4 bytes shorter
     * @param subscriber capacity for each publisher of a topic to which the client subscribes. If the publisher's
     *     buffer is larger, its capacity is used instead
     * @throws IllegalArgumentException when a capacity is not in the range 16 to 2^40
     */
    public ClientOptions withCapacities(long publisher, long subscriber) {
        return with(settings -> settings.withCapacities(publisher, subscriber));
    }

    /**
     * Returns a copy with the given maximum capacity, in bytes, of the buffers that a subscriber creates to match a
     * publisher's.
     *
     * @throws IllegalArgumentException when the limit is less than the capacity of a subscriber's buffer, or more than
     *     2^40
     */
    public ClientOptions withMaxCapacity(long maxCapacity) {
        return with(settings -> settings.withMaxCapacity(maxCapacity));
    }

    /**
     * Returns a copy with a buffer of the given capacity in bytes for the replies to each requester. The longest reply,
     * including its headers, is 4 bytes shorter.
     *
     * @throws IllegalArgumentException when the capacity is less than 4,096
     */
    public ClientOptions withReplyCapacity(long capacity) {
        return with(settings -> settings.withReplies(settings.replies().withCapacity(capacity)));
    }

    /**
     * Returns a copy with the policy that the broker applies when this client is slow; null selects the broker's
     * setting.
     */
    public ClientOptions withSlowPolicy(SlowPolicy policy) {
        return with(settings -> settings.withSlowPolicy(policy));
    }

    /**
     * Returns a copy with the given time limit for connecting to one address, including the greeting.
     *
     * @throws IllegalArgumentException when the limit is less than a millisecond or more than a day
     */
    public ClientOptions withConnectTimeout(Duration timeout) {
        return with(settings -> settings.withConnectTimeout(milliseconds(timeout)));
    }

    /**
     * Returns a copy with the given limit on the time that {@code close} waits for the broker to consume everything.
     *
     * @throws IllegalArgumentException when the limit is negative or more than a day
     */
    public ClientOptions withDrainTimeout(Duration timeout) {
        return with(settings -> settings.withDrainTimeout(milliseconds(timeout)));
    }

    /** Returns the duration in milliseconds, or the nearest long if the duration is out of range. */
    private static long milliseconds(Duration timeout) {
        try {
            return timeout.toMillis();
        } catch (ArithmeticException e) {
            return timeout.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** Returns a copy with the given settings for replacing lost connections. */
    public ClientOptions withReconnect(ReconnectSettings reconnect) {
        return with(settings -> settings.withReconnect(reconnect));
    }

    /** Returns a copy with the given treatment of messages that were not confirmed when the connection was lost. */
    public ClientOptions withUnconfirmed(Unconfirmed choice) {
        return with(settings -> settings.withUnconfirmed(choice));
    }

    /** Returns a copy with a callback for gaps, errors, the end of publishers, and lost connections. */
    public ClientOptions withCallback(SubscriberCallback newCallback) {
        Objects.requireNonNull(newCallback, "callback");
        return new ClientOptions(publisher, subscriber, newCallback, publisherCallback, opening, given);
    }

    /** Returns a copy with a callback for lost connections and for events of topics, such as back-pressure. */
    public ClientOptions withPublisherCallback(PublisherCallback newCallback) {
        Objects.requireNonNull(newCallback, "callback");
        return new ClientOptions(publisher, subscriber, callback, newCallback, opening, given);
    }

    /** Returns a copy with the given treatment of messages to topics without subscribers. */
    public ClientOptions withWhenUnheard(WhenUnheard choice) {
        return with(settings -> settings.withWhenUnheard(choice));
    }

    /**
     * Returns a copy whose client uses the given RocketBufs, with its memory and threads, instead of opening its own.
     * The client does not close it. Configuration keys with the prefix {@code rocketbufs} then have no effect, except
     * for the transport.
     */
    public ClientOptions withRocketBufs(RocketBufs rocketBufs) {
        Objects.requireNonNull(rocketBufs, "rocketBufs");
        return new ClientOptions(publisher, subscriber, callback, publisherCallback, opening, rocketBufs);
    }

    private ClientOptions with(UnaryOperator<ClientSettings> change) {
        return new ClientOptions(
                change.apply(publisher), change.apply(subscriber), callback, publisherCallback, opening, given);
    }

    /** Returns the settings of the connection that publishes. */
    public ClientSettings publisher() {
        return publisher;
    }

    /** Returns the settings of the connection that subscribes. */
    public ClientSettings subscriber() {
        return subscriber;
    }

    /** Returns the callback for gaps, errors, the end of publishers, and lost connections. */
    public SubscriberCallback callback() {
        return callback;
    }

    /** Returns the callback of the connection that publishes; null if there is none. */
    PublisherCallback publisherCallback() {
        return publisherCallback;
    }

    /** Returns true if the client must open, and later close, its own RocketBufs. */
    boolean ownsRocketBufs() {
        return given == null;
    }

    /** Returns the RocketBufs that the application has supplied, or opens one. */
    RocketBufs openRocketBufs() {
        return given == null ? opening.get() : given;
    }

    /** Returns the settings of both connections, with three asterisks in place of a token. */
    @Override
    public String toString() {
        return "ClientOptions[publisher=" + publisher + ", subscriber=" + subscriber + "]";
    }
}
