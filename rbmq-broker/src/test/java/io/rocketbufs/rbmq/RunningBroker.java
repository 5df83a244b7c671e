package io.rocketbufs.rbmq;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.metrics.ConnectionState;
import io.rocketbufs.metrics.SubscriptionState;
import io.rocketbufs.rbmq.broker.Broker;
import io.rocketbufs.rbmq.broker.BrokerSettings;
import io.rocketbufs.rbmq.broker.ReloadException;
import io.rocketbufs.rbmq.broker.ReloadReport;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.PublisherCallback;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.protocol.Welcome;
import io.rocketbufs.rbmq.protocol.WelcomeLayout;
import io.rocketbufs.settings.SettingsException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/** A broker for tests that listens on a free port of this machine, with a separate RocketBufs for its clients. */
public final class RunningBroker implements AutoCloseable {
    /**
     * Settings with the simplest transport, free ports, and time limits that a subscriber does not exceed even if a
     * busy machine delays the test.
     */
    private static final String FOR_TESTS =
            "rocketbufs.transport = tcp\nrbmq.port = 0\nrbmq.admin.port = 0\nrbmq.client.reconnect.enabled = off\n"
                    + "rbmq.broker.stall-timeout = 60 s, rbmq.broker.join-timeout = 60 s\n";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final RocketBufs brokersRocketBufs;
    private final RocketBufs clientsRocketBufs;
    private final Broker broker;
    private volatile Config configured;
    private final ClientSettings client;
    private final ClientSettings publisher;
    private final ClientSettings subscriber;

    /** Starts a broker whose clients use the given transports. */
    public RunningBroker(TransportPair pair) {
        this(pair.settings().toArray(String[]::new));
    }

    /** Starts a broker with the given settings, in the syntax of the configuration file. */
    public RunningBroker(String... settings) {
        this(RocketBufs::open, settings);
    }

    /** Starts a broker whose RocketBufs is opened by the given function. */
    public RunningBroker(Function<Config, RocketBufs> brokersOpening, String... settings) {
        Config config = config(settings);
        configured = config;
        brokersRocketBufs = opened(brokersOpening.apply(config));
        clientsRocketBufs = opened(RocketBufs.open(config));
        broker = opened(Broker.open(brokersRocketBufs, BrokerSettings.from(config), this::reloaded));
        client = ClientSettings.from(config).withBroker(address());
        publisher = ClientSettings.publisher(config).withBroker(address());
        List<InetSocketAddress> addresses = broker.addresses();
        subscriber = ClientSettings.subscriber(config).withBroker(addresses.get(addresses.size() - 1));
    }

    private BrokerSettings reloaded(BrokerSettings running) {
        try {
            return BrokerSettings.reloaded(configured, running);
        } catch (SettingsException e) {
            throw new ReloadException(e.messages());
        }
    }

    /** Replaces the broker's configuration with the default settings and the given ones, and reloads it. */
    public ReloadReport reload(String... settings) {
        configure(settings);
        return broker.reload();
    }

    /** Replaces the configuration that the broker will read at its next reload. */
    public void configure(String... settings) {
        configured = config(settings);
    }

    /** Returns the default settings with free ports, long time limits and the given settings. */
    public static Config config(String... settings) {
        return ConfigFactory.parseString(FOR_TESTS + String.join("\n", settings))
                .withFallback(ConfigFactory.load())
                .resolve();
    }

    /** Returns the broker. */
    public Broker broker() {
        return broker;
    }

    /** Returns the address on which the broker listens. */
    public InetSocketAddress address() {
        return broker.addresses().get(0);
    }

    /** Returns the settings for clients of the broker. */
    public ClientSettings client() {
        return client;
    }

    /** Returns the settings of publishers, including their transport. */
    public ClientSettings publisherSettings() {
        return publisher;
    }

    /** Returns the settings of subscribers, including their transport. */
    public ClientSettings subscriberSettings() {
        return subscriber;
    }

    /** Returns the RocketBufs for clients of the broker. */
    public RocketBufs clients() {
        return clientsRocketBufs;
    }

    /** Opens a separate RocketBufs for one client; closing it disconnects the client. */
    public RocketBufs another() {
        return opened(RocketBufs.open(config()));
    }

    /**
     * Starts a broker that accepts publishers but then neither replies nor consumes data. Returns its address. The
     * broker ends abruptly when the RocketBufs is closed.
     */
    public static InetSocketAddress silent(RocketBufs rocketBufs) {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(connection -> {
            connection.setCloseCallback(failure -> {});
            new RIn(connection);
            connection.sendControlMessage(WelcomeLayout.write(Welcome.of(1, 1 << 20)));
        });
        return listener.address();
    }

    /** Ends the broker's connections abruptly, like the end of its process. */
    public void loseBroker() {
        brokersRocketBufs.close();
    }

    /** Returns the number of bytes that the broker has received but not yet sent to all subscribers. */
    public long brokersPendingLength() {
        return brokersRocketBufs.metrics().subscriptions().stream()
                .mapToLong(SubscriptionState::pendingLength)
                .sum();
    }

    /** Returns the number of writes and control messages that the broker has received from a client. */
    public long receivedCountFrom(String peer) {
        return brokersRocketBufs.metrics().connections().stream()
                .filter(connection -> connection.peer().equals(peer))
                .mapToLong(ConnectionState::receivedCount)
                .sum();
    }

    /** Returns the number of bytes that the subscribers have received but not yet consumed. */
    public long unreadLength() {
        return clientsRocketBufs.metrics().connections().stream()
                .flatMap(connection -> connection.inputs().stream())
                .mapToLong(input -> input.receivedLength() - input.consumedLength())
                .sum();
    }

    /** Connects a publisher. */
    public Publisher publisher() {
        return publisher(publisher);
    }

    /** Connects a publisher with the given settings. */
    public Publisher publisher(ClientSettings settings) {
        return opened(Publisher.connect(clientsRocketBufs, settings));
    }

    /** Connects a publisher with the given settings and callback. */
    public Publisher publisher(ClientSettings settings, PublisherCallback callback) {
        return opened(Publisher.connect(clientsRocketBufs, settings, callback));
    }

    /** Connects a subscriber. */
    public Subscriber subscriber() {
        return subscriber(subscriber, new SubscriberCallback() {});
    }

    /** Connects a subscriber with the given settings and callback. */
    public Subscriber subscriber(ClientSettings settings, SubscriberCallback callback) {
        return opened(Subscriber.connect(clientsRocketBufs, settings, callback));
    }

    /** Registers an object to be closed after the test. */
    public <T extends AutoCloseable> T opened(T closeable) {
        opened.push(closeable);
        return closeable;
    }

    /** Closes all registered objects, newest first. */
    @Override
    public void close() {
        while (!opened.isEmpty()) {
            close(opened.pop());
        }
    }

    private static void close(AutoCloseable one) {
        try {
            one.close();
        } catch (Exception e) {
            throw new IllegalStateException("closing " + one, e);
        }
    }
}
