package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.text.HostPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A broker in this process, for programs that run one alongside their own code, and for tests. It is a {@link Broker}
 * that owns its RocketBufs. By default, it listens on a free port of the loopback address and has no admin interface.
 * It neither handles signals, nor ends the process, nor configures logging.
 *
 * <p><b>Thread-safety:</b> any thread. <b>Ownership:</b> owns its memory, threads and connections.
 */
public final class RbmqBroker implements AutoCloseable {
    /** These values override the application's configuration, which often describes another broker. */
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
     * Starts a broker on a free port of the loopback address, without an admin interface. All other settings are those
     * of the system properties and application.conf, which override the modules' reference.conf.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
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
     * @param changes the keys to change; need not be resolved
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
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
     * Replaces the settings with those that {@link #start(Config)} would use now, as
     * {@link Broker#reload(BrokerSettings)} does: all of them or none. Files with tokens and certificates are read
     * again. To read application.conf again, call {@code ConfigFactory.invalidateCaches()} before.
     *
     * @param changes all keys that differ from the application's configuration, including those given before; need not
     *     be resolved
     * @return the changes in force, and those that need another broker
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value; in that
     *     case, nothing has changed
     * @throws ReloadException when a file with certificates or a key cannot be used; in that case, nothing has changed
     * @throws IllegalStateException when the broker is closed
     */
    public ReloadReport reload(Config changes) {
        return broker.reload(BrokerSettings.reloaded(configuration(changes), broker.settings()));
    }

    /** Returns {@code HOST:PORT}, at which clients connect: the address of the first listener, with its actual port. */
    public String address() {
        return addresses.get(0);
    }

    /**
     * Returns {@code HOST:PORT} of each listener, in the order of the settings. Those that {@code auto} adds are left
     * out, because clients find them themselves.
     */
    public List<String> addresses() {
        return addresses;
    }

    /** Returns {@code HOST:PORT} of the admin interface; null when it is disabled. */
    public String adminAddress() {
        return broker.adminAddress() == null ? null : HostPort.of(broker.adminAddress());
    }

    /** Returns the running broker, for its state and topics. */
    public Broker broker() {
        return broker;
    }

    /** Returns the RocketBufs that the broker uses, for its counters. */
    public RocketBufs rocketBufs() {
        return rocketBufs;
    }

    /**
     * Stops accepting clients, disconnects publishers, sends the received data to subscribers, and ends all threads of
     * this broker. Blocks until that is done or the longest {@code drain-timeout} of {@code rbmq.broker} and
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
