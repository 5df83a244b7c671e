package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An embedded broker, for tests and for programs that run a broker alongside their own code. It is a {@link Broker}
 * that owns its RocketBufs. By default, it listens on a free port of the loopback address and has no admin interface.
 * It neither handles signals, nor ends the process, nor configures logging.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its memory, threads and connections.
 */
public final class RbmqBroker implements AutoCloseable {
    /** Values that override the application's configuration, which often describes a different broker. */
    private static final Config EMBEDDED =
            ConfigFactory.parseString("rbmq { address = 127.0.0.1, port = 0, listeners = []"
                    + ", admin { enabled = false, address = 127.0.0.1, port = 0 } }");

    private final RocketBufs rocketBufs;
    private final Broker broker;
    private final List<String> addresses;

    private RbmqBroker(RocketBufs rocketBufs, Broker broker) {
        this.rocketBufs = rocketBufs;
        this.broker = broker;
        this.addresses = addressesOf(broker);
    }

    private static List<String> addressesOf(Broker broker) {
        List<InetSocketAddress> all = broker.addresses();
        return IntStream.range(0, all.size())
                .filter(i -> !broker.opened().get(i).isOptional())
                .mapToObj(i -> HostPort.of(all.get(i)))
                .toList();
    }

    /**
     * Starts a broker on a free port of the loopback address, without an admin interface. All other settings come from
     * system properties and application.conf, which override the modules' reference.conf.
     *
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     * @throws io.rocketbufs.rocketnet.TransportException when the transport cannot be used; in that case, nothing
     *     remains open
     */
    public static RbmqBroker start() {
        return start(ConfigFactory.empty());
    }

    /**
     * Starts a broker like {@link #start()} with changed settings, such as {@code rbmq.port} or
     * {@code rbmq.admin.enabled}. If {@code changes} is a complete configuration, it determines all settings.
     *
     * @param changes the keys to change; the configuration need not be resolved
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     * @throws io.rocketbufs.rocketnet.TransportException when an address or transport cannot be used; in that case,
     *     nothing remains open
     */
    public static RbmqBroker start(Config changes) {
        Config config = configuration(changes);
        BrokerSettings settings = BrokerSettings.from(config);
        RocketBufs rocketBufs = RocketBufs.open(config);
        try {
            return new RbmqBroker(rocketBufs, Broker.open(rocketBufs, settings));
        } catch (RuntimeException | Error e) {
            rocketBufs.close();
            throw e;
        }
    }

    private static Config configuration(Config changes) {
        return changes.withFallback(EMBEDDED).withFallback(ConfigFactory.load()).resolve();
    }

    /**
     * Replaces the settings with those that {@link #start(Config)} would use now. As with
     * {@link Broker#reload(BrokerSettings)}, either all settings are replaced or none. Token and certificate files are
     * reread. To reread application.conf as well, first call {@code ConfigFactory.invalidateCaches()}.
     *
     * @param changes all keys that differ from the application's configuration, including keys passed to earlier calls;
     *     the configuration need not be resolved
     * @return the changes that are in force, and those that require a new broker
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid. Nothing has changed, and the message
     *     names the key, file and line of the first invalid value
     * @throws ReloadException when a certificate or key file cannot be used; in that case, nothing has changed
     * @throws IllegalStateException when the broker is closed
     */
    public ReloadReport reload(Config changes) {
        return broker.reload(BrokerSettings.reloaded(configuration(changes), broker.settings()));
    }

    /**
     * Returns the address of the first listener, to which clients connect, as {@code HOST:PORT} with the actual port.
     */
    public String address() {
        return addresses.get(0);
    }

    /**
     * Returns the address of each listener as {@code HOST:PORT}, in the order of the settings. Listeners added by
     * {@code auto} are omitted, because clients discover them automatically.
     */
    public List<String> addresses() {
        return addresses;
    }

    /** Returns the address of the admin interface as {@code HOST:PORT}; null if it is disabled. */
    public String adminAddress() {
        return broker.adminAddress() == null ? null : HostPort.of(broker.adminAddress());
    }

    /** Returns the running broker, which provides its state and topics. */
    public Broker broker() {
        return broker;
    }

    /** Returns the RocketBufs that the broker uses, which provides its counters. */
    public RocketBufs rocketBufs() {
        return rocketBufs;
    }

    /**
     * Stops accepting clients, disconnects publishers, sends the received data to subscribers, and ends all threads of
     * this broker. Blocks until the data is sent or the longest {@code drain-timeout} of {@code rbmq.broker} and
     * {@code rbmq.topics} expires. Idempotent.
     *
     * @throws IllegalStateException when called on a worker of this broker; in that case, nothing is closed
     */
    @Override
    public void close() {
        if (rocketBufs.isWorkerThread()) {
            throw new IllegalStateException("close() waits for the workers, so none of them may call it");
        }
        try {
            broker.close();
        } finally {
            rocketBufs.close();
        }
    }
}
