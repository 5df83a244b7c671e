package io.rocketbufs.rocketlog;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.rocketlog.broker.LogBroker;
import io.rocketbufs.rocketlog.broker.LogBrokerSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/**
 * A broker for tests that listens on a free port of this machine, together with a separate RocketBufs for its clients.
 */
public final class RunningLogBroker implements AutoCloseable {
    private static final String FOR_TESTS =
            "rocketlog { port = 0, admin.port = 0, allocation-step = 0 }\nrocketbufs.rdma.provider = tcp\n";

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Config config;
    private final RocketBufs brokersRocketBufs;
    private final RocketBufs clientsRocketBufs;
    private final LogBroker broker;

    /** Starts a broker with the given settings, in the syntax of the configuration file. */
    public RunningLogBroker(Path directory, String... settings) {
        this(RocketBufs::open, directory, settings);
    }

    /** Starts a broker with the given settings and with the RocketBufs that the function opens for it. */
    public RunningLogBroker(Function<Config, RocketBufs> opening, Path directory, String... settings) {
        config = config(directory, settings);
        brokersRocketBufs = opened(opening.apply(config));
        clientsRocketBufs = opened(RocketBufs.open(config));
        broker = opened(LogBroker.open(brokersRocketBufs, LogBrokerSettings.from(config)));
    }

    /** Returns the default settings with free ports, overridden by the given settings. */
    public static Config config(Path directory, String... settings) {
        return ConfigFactory.parseString(FOR_TESTS + String.join("\n", settings))
                .withFallback(ConfigFactory.parseString("rocketlog.dir = \"" + directory + "\""))
                .withFallback(ConfigFactory.load())
                .resolve();
    }

    /** Skips the test, with a message, if a transport cannot be used on this machine. */
    public static void assume(String transport, Path directory) {
        try (RocketBufs rocketBufs = RocketBufs.open(config(directory))) {
            rocketBufs.localAddress(transport);
        } catch (TransportException e) {
            assumeTrue(e.code() != TransportException.Code.UNAVAILABLE, e.getMessage());
            throw e;
        }
    }

    /**
     * Registers a resource to be closed before this broker, and returns it. Resources are closed in reverse order of
     * registration.
     */
    public <T extends AutoCloseable> T opened(T resource) {
        opened.push(resource);
        return resource;
    }

    /** Returns the broker. */
    public LogBroker broker() {
        return broker;
    }

    /** Returns the address on which the broker listens. */
    public InetSocketAddress address() {
        return broker.addresses().get(0);
    }

    /** Returns the RocketBufs of the broker. */
    public RocketBufs brokers() {
        return brokersRocketBufs;
    }

    /** Returns the RocketBufs of the broker's clients. */
    public RocketBufs clients() {
        return clientsRocketBufs;
    }

    /** Returns the settings of the broker's clients. */
    public LogClientSettings settings() {
        return LogClientSettings.from(config).withBroker(address());
    }

    /** Creates a topic on the disk. */
    public RunningLogBroker withTopic(String topic, int partitions) {
        try (TopicClient topics = TopicClient.connect(clientsRocketBufs, settings())) {
            topics.create(topic, partitions);
        }
        return this;
    }

    /** Creates a topic in memory. */
    public RunningLogBroker withMemoryTopic(String topic, int partitions, long capacity) {
        try (TopicClient topics = TopicClient.connect(clientsRocketBufs, settings())) {
            topics.createInMemory(topic, partitions, capacity);
        }
        return this;
    }

    /** Returns the broker's status page. */
    public String status() {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminAddress().getPort() + "/api/status");
        try (InputStream page = uri.toURL().openStream()) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the connections of all clients abruptly, as if their processes had crashed. */
    public void loseClients() {
        clientsRocketBufs.close();
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
