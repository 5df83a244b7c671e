package io.rocketbufs.rocketlog.broker;

import com.typesafe.config.Config;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.rocketlog.log.LogOptions;
import io.rocketbufs.rocketlog.log.LogOptions.FlushPolicy;
import io.rocketbufs.rocketlog.log.MemoryLogs;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.settings.SettingsReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The settings of a broker.
 *
 * @param listeners the addresses for clients, at least one
 * @param admin the admin interface
 * @param directory directory of the logs
 * @param log the options of all logs, unless a topic has its own
 * @param memory the limits for topics in memory
 * @param produce the limits for each producer
 * @param direct the permission to write directly into the logs
 * @param consume the limits for consumers
 * @param limits the limits of the broker, which refuses requests that exceed them
 * @param deletableTopics names of the topics that clients may delete; {@code *} stands for all
 * @param logLevel lowest level that the command logs
 */
public record LogBrokerSettings(
        List<ListenerSettings> listeners,
        AdminPort admin,
        Path directory,
        LogOptions log,
        Memory memory,
        Produce produce,
        Direct direct,
        Consume consume,
        Limits limits,
        List<String> deletableTopics,
        String logLevel) {
    private static final String ROOT = "rocketlog";
    private static final String[] LOG_LEVELS = {"error", "warn", "info", "debug", "trace"};
    private static final int MAX_PORT = 65_535;
    private static final int SHORTEST_SEGMENT = LogTopicOptions.SHORTEST_SEGMENT;
    private static final int LONGEST_SEGMENT = LogTopicOptions.LONGEST_SEGMENT;
    private static final int SHORTEST_BATCH = 1024;
    private static final int LARGEST_WINDOW = 1 << 16;
    private static final int LARGEST_LIMIT = 1_000_000;
    private static final long LONGEST_TIME_MS = Duration.ofDays(365).toMillis();
    private static final String RETENTION_TIME = LogTopicOptions.RETENTION_TIME;

    /**
     * The admin interface over HTTP.
     *
     * @param enabled false disables it
     * @param host name or address on which the server listens
     * @param port 0 selects any free port
     * @param hosts further host names that requests may use
     */
    public record AdminPort(boolean enabled, String host, int port, List<String> hosts) {
        /** Reads and checks only {@code rocketlog.admin}, in the same way as {@link LogBrokerSettings#from}. */
        public static AdminPort from(Config config) {
            SettingsReader reader = new SettingsReader(config, ROOT + ".admin");
            return new AdminPort(
                    reader.bool("enabled"),
                    reader.text("address"),
                    reader.integer("port", 0, MAX_PORT),
                    reader.texts("hosts"));
        }
    }

    /**
     * The limits for topics in memory.
     *
     * @param capacity capacity of each partition in bytes, unless a topic is created with a different one
     * @param limit maximum total memory of all topics, in bytes
     */
    public record Memory(long capacity, long limit) {}

    /**
     * The limits for each producer.
     *
     * @param ringCapacity capacity of the producer's buffer at the broker, in bytes
     * @param window maximum number of the producer's batches that may wait for their results; a power of two
     * @param longestLeadMs how far timestamps may be ahead of the broker's clock, in milliseconds
     */
    public record Produce(long ringCapacity, int window, long longestLeadMs) {}

    /**
     * The permission to write directly into the memory of logs.
     *
     * @param topics names of the topics whose producers have the permission; {@code *} stands for all topics
     * @param revokeTimeoutMs how long a producer may take to confirm that it has stopped writing, in milliseconds
     * @param orderTimeoutMs how long a batch in a shared segment may wait for earlier batches, in milliseconds
     */
    public record Direct(List<String> topics, long revokeTimeoutMs, long orderTimeoutMs) {}

    /**
     * The limits for consumers.
     *
     * @param segmentsPerConnection maximum number of segments that one client may have open
     * @param openSegments maximum number of open segments across all clients
     * @param deletedSegmentTimeoutMs how long clients may read segments that retention has deleted, in milliseconds
     */
    public record Consume(int segmentsPerConnection, int openSegments, long deletedSegmentTimeoutMs) {}

    /**
     * The limits of the broker.
     *
     * @param connections maximum number of client connections
     * @param producersPerConnection maximum number of producers of one client
     * @param partitions maximum number of partitions across all topics
     */
    public record Limits(int connections, int producersPerConnection, int partitions) {}

    /**
     * Reads and checks the settings.
     *
     * @param config resolved configuration, including each module's reference.conf
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; names the key, file, and line of the
     *     first invalid value
     */
    public static LogBrokerSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, ROOT);
        LogOptions log = log(reader);
        LogBrokerSettings settings = new LogBrokerSettings(
                listeners(config),
                AdminPort.from(config),
                Path.of(reader.text("dir")),
                log,
                new Memory(
                        reader.bytes("memory.capacity", SHORTEST_SEGMENT, MemoryLogs.LARGEST_CAPACITY),
                        reader.bytes("memory.limit", 0, Long.MAX_VALUE)),
                produce(reader, log),
                new Direct(
                        reader.texts("produce.direct.topics"),
                        reader.millis("produce.direct.revoke-timeout", 1, LONGEST_TIME_MS),
                        reader.millis("produce.direct.order-timeout", 1, LONGEST_TIME_MS)),
                new Consume(
                        reader.integer("limits.segments-per-connection", 1, SlotLayout.COUNT - 1),
                        reader.integer("limits.open-segments", 1, LARGEST_LIMIT),
                        reader.millis("consume.deleted-segment-timeout", 1, LONGEST_TIME_MS)),
                new Limits(
                        reader.integer("limits.connections", 1, LARGEST_LIMIT),
                        reader.integer("limits.producers-per-connection", 1, LARGEST_LIMIT),
                        reader.integer("limits.partitions", 1, LARGEST_LIMIT)),
                reader.texts("deletable-topics"),
                reader.oneOf("log-level", LOG_LEVELS));
        settings.checkExposure(reader);
        return settings;
    }

    /** Returns all listeners that are not optional, because rocketlog's clients do not switch to a better transport. */
    private static List<ListenerSettings> listeners(Config config) {
        return ListenerSettings.from(config, ROOT).stream()
                .filter(listener -> !listener.isOptional())
                .toList();
    }

    private static LogOptions log(SettingsReader reader) {
        int segment = (int) reader.bytes(LogTopicOptions.SEGMENT_LENGTH, SHORTEST_SEGMENT, LONGEST_SEGMENT);
        FlushPolicy flush = FlushPolicy.valueOf(
                reader.oneOf("flush", "none", "interval", "always").toUpperCase(Locale.ROOT));
        return new LogOptions(
                segment,
                (int) reader.bytes("allocation-step", 0, LONGEST_SEGMENT),
                (int) reader.bytes("index-interval", 1, LONGEST_SEGMENT),
                (int) reader.bytes("batch.longest", SHORTEST_BATCH, segment),
                flush,
                Duration.ofMillis(
                        reader.millis("flush-interval", 1, Duration.ofDays(1).toMillis())),
                retentionTime(reader),
                Math.max(0, reader.bytesUnless(LogTopicOptions.RETENTION_LENGTH, "none", 1, Long.MAX_VALUE)));
    }

    private static Duration retentionTime(SettingsReader reader) {
        return reader.text(RETENTION_TIME).equals("none")
                ? null
                : Duration.ofMillis(reader.millis(RETENTION_TIME, 1, LogTopicOptions.LONGEST_RETENTION_MS));
    }

    private static Produce produce(SettingsReader reader, LogOptions log) {
        int window = reader.integer("produce.window", 2, LARGEST_WINDOW);
        if (Integer.bitCount(window) != 1) {
            throw reader.wrong("produce.window", window + " is not a power of two, such as 1024");
        }
        long shortest = 2L * (log.longestBatch() + BatchFrameLayout.BATCH);
        long ring = reader.bytes("produce.ring-capacity", SHORTEST_BATCH, LONGEST_SEGMENT);
        if (ring < shortest) {
            throw reader.conflict(
                    "produce.ring-capacity",
                    ring + " bytes are too few for two of the longest batches: set it to at least " + shortest
                            + ", or reduce rocketlog.batch.longest",
                    "batch.longest");
        }
        return new Produce(
                ring,
                window,
                reader.millis(
                        "produce.longest-lead", 0, Duration.ofDays(365_000).toMillis()));
    }

    /** Returns true if the given value is valid for {@code rocketlog.log-level}. */
    public static boolean isLogLevel(String level) {
        return List.of(LOG_LEVELS).contains(level);
    }

    /**
     * Rejects addresses that expose the broker to other hosts, unless the operator allows this. The check is needed
     * because the broker does not authenticate clients.
     */
    private void checkExposure(SettingsReader reader) {
        boolean isOpen = reader.bool("insecure");
        String key = reader.list("listeners").isEmpty() ? "address" : "listeners";
        listeners.forEach(listener -> checkExposure(reader, key, listener.host(), isOpen));
        if (admin.enabled()) {
            checkExposure(reader, "admin.address", admin.host(), isOpen);
        }
    }

    private static void checkExposure(SettingsReader reader, String key, String host, boolean isOpen) {
        boolean isLoopback;
        try {
            isLoopback = InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw reader.wrong(key, "\"" + host + "\" is not a known host");
        }
        if (!isLoopback && !isOpen) {
            throw reader.conflict(
                    key,
                    "\"" + host + "\" is not a loopback address: set rocketlog.insecure = true to accept"
                            + " unauthenticated clients, in a network that is protected by other means",
                    "insecure");
        }
    }
}
