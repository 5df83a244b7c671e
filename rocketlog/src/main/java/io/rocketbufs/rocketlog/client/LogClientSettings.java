package io.rocketbufs.rocketlog.client;

import com.typesafe.config.Config;
import io.rocketbufs.ListenerSettings;
import io.rocketbufs.rocketlog.protocol.AppendResult;
import io.rocketbufs.rocketlog.protocol.BatchFrameLayout;
import io.rocketbufs.rocketlog.protocol.LogGreetingLayout;
import io.rocketbufs.settings.SettingsReader;
import io.rocketbufs.text.ClientName;
import io.rocketbufs.text.HostPort;
import io.rocketbufs.text.PlainText;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;

/**
 * The settings of clients.
 *
 * @param host host of the broker
 * @param port port of the broker
 * @param name name of the client, which the broker shows in its log and on its admin pages; at most 256 bytes
 * @param connectTimeoutMs maximum time to wait for a connection or a response, in milliseconds
 * @param producer the settings of producers
 * @param consumer the settings of consumers
 */
public record LogClientSettings(
        String host, int port, String name, long connectTimeoutMs, Producer producer, Consumer consumer) {
    /** The error message for a producer that combines the mode exclusive or shared with acks none. */
    public static final String ACKS_NEEDED = "the modes exclusive and shared require acks leader, because the producer"
            + " must know when the log has its batches";

    private static final String ROOT = "rocketlog";
    private static final int SHORTEST_BATCH = 1024;
    private static final int LONGEST_BUFFER = 1 << 30;
    private static final long LONGEST_TIME_MS = Duration.ofDays(365).toMillis();

    /**
     * Creates settings.
     *
     * @throws IllegalArgumentException if the name is longer than 256 bytes, or contains a control character, a line
     *     separator, or a mark that changes the direction of text
     */
    public LogClientSettings {
        String problem = LogGreetingLayout.nameProblem(name);
        if (problem != null) {
            throw new IllegalArgumentException("name=" + PlainText.of(name) + " " + problem);
        }
    }

    /** The condition under which records count as sent. */
    public enum Acks {
        /** Records count as sent once they have been handed to the transport. */
        NONE,
        /** Records count as sent once the broker has appended them. */
        LEADER
    }

    /** The way in which a producer's batches reach the log. */
    public enum ProduceMode {
        /** The producer sends batches to a buffer at the broker, from which the broker copies them into the log. */
        PRIVATE,
        /**
         * The producer writes batches directly into the memory of the log, while no other producer uses the partition.
         */
        EXCLUSIVE,
        /** Several producers write batches directly into the memory of the log at the same time. */
        SHARED;

        /** Returns true if this mode can be combined with the given acks. */
        public boolean works(Acks acks) {
            return this == PRIVATE || acks == Acks.LEADER;
        }
    }

    /**
     * The settings of producers.
     *
     * @param acks which records count as sent
     * @param mode how batches reach the log
     * @param maxInFlight maximum number of batches in flight per partition
     * @param batchLength length at which a batch is closed, in bytes
     * @param lingerMs how long a batch waits for further records unless it is full, in milliseconds
     * @param memory maximum memory for records that have not been acknowledged, in bytes
     * @param ringCapacity capacity of the buffer from which the transport sends, in bytes
     * @param timeoutMs time after which an unacknowledged record fails, in milliseconds
     * @param retryDelayMs delay before reconnecting or resending a refused batch, in milliseconds
     * @param leaseDelayMs delay before requesting access to a log's memory again after the access was refused or
     *     revoked, in milliseconds
     */
    public record Producer(
            Acks acks,
            ProduceMode mode,
            int maxInFlight,
            int batchLength,
            long lingerMs,
            long memory,
            long ringCapacity,
            long timeoutMs,
            long retryDelayMs,
            long leaseDelayMs) {
        /** Checks that the mode is compatible with the acks, and that records linger for less than the timeout. */
        public Producer {
            if (!mode.works(acks)) {
                throw new IllegalArgumentException(ACKS_NEEDED);
            }
            if (lingerMs >= timeoutMs) {
                throw new IllegalArgumentException("lingerMs=" + lingerMs + " is not less than timeoutMs=" + timeoutMs);
            }
        }

        /** Returns a copy with a different mode. */
        public Producer withMode(ProduceMode other) {
            return with(acks, other);
        }

        /** Returns a copy with different acks and a different mode. */
        public Producer with(Acks otherAcks, ProduceMode otherMode) {
            return new Producer(
                    otherAcks,
                    otherMode,
                    maxInFlight,
                    batchLength,
                    lingerMs,
                    memory,
                    ringCapacity,
                    timeoutMs,
                    retryDelayMs,
                    leaseDelayMs);
        }

        /** Returns a copy with a different timeout, in milliseconds. */
        public Producer withTimeout(long otherMs) {
            return new Producer(
                    acks,
                    mode,
                    maxInFlight,
                    batchLength,
                    lingerMs,
                    memory,
                    ringCapacity,
                    otherMs,
                    retryDelayMs,
                    leaseDelayMs);
        }
    }

    /**
     * The settings of consumers.
     *
     * @param fetchLength number of bytes to read at a time; a longer batch is read as a whole
     * @param pollTimeMs how long to poll after the last record before waiting for the broker, in milliseconds
     * @param pollDelayMs longest delay between two polls for new records, in milliseconds
     * @param retryDelayMs delay before reconnecting, in milliseconds
     */
    public record Consumer(int fetchLength, long pollTimeMs, long pollDelayMs, long retryDelayMs) {}

    /**
     * Reads and checks the settings.
     *
     * @param config resolved configuration, including each module's reference.conf
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; names the key, file, and line of the
     *     first invalid value
     */
    public static LogClientSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, ROOT);
        HostPort broker = broker(reader, config);
        return new LogClientSettings(
                broker.host(),
                broker.port(),
                name(reader),
                reader.millis("client.connect-timeout", 1, LONGEST_TIME_MS),
                producer(reader),
                new Consumer(
                        (int) reader.bytes("consumer.fetch", SHORTEST_BATCH, LONGEST_BUFFER),
                        reader.millis("consumer.poll-time", 0, LONGEST_TIME_MS),
                        reader.millis("consumer.poll-delay", 1, LONGEST_TIME_MS),
                        reader.millis("consumer.retry-delay", 1, LONGEST_TIME_MS)));
    }

    private static String name(SettingsReader reader) {
        String name = reader.text("client.name");
        String problem = LogGreetingLayout.nameProblem(name);
        if (problem != null) {
            throw reader.wrong("client.name", problem);
        }
        return name.isEmpty() ? ClientName.ofProcess() : name;
    }

    private static HostPort broker(SettingsReader reader, Config config) {
        String given = reader.text("client.broker");
        if (given.isEmpty()) {
            String transport = new SettingsReader(config, "rocketbufs").text("transport");
            ListenerSettings listener = ListenerSettings.reachedOver(transport, config, ROOT);
            return new HostPort(listener.host(), listener.port());
        }
        try {
            return HostPort.parse(given);
        } catch (IllegalArgumentException e) {
            throw reader.wrong("client.broker", e.getMessage());
        }
    }

    private static Producer producer(SettingsReader reader) {
        int batch = (int) reader.bytes("producer.batch", SHORTEST_BATCH, LONGEST_BUFFER / 4);
        long memory = reader.bytes("producer.memory", SHORTEST_BATCH, Long.MAX_VALUE);
        if (memory < 2L * batch) {
            throw reader.conflict(
                    "producer.memory",
                    memory + " bytes are too few for two batches of rocketlog.producer.batch",
                    "producer.batch");
        }
        long ring = reader.bytes("producer.ring-capacity", SHORTEST_BATCH, LONGEST_BUFFER);
        if (ring < 2L * (batch + BatchFrameLayout.BATCH)) {
            throw reader.conflict(
                    "producer.ring-capacity",
                    ring + " bytes are too few for two batches of rocketlog.producer.batch",
                    "producer.batch");
        }
        Acks acks = Acks.valueOf(reader.oneOf("producer.acks", "none", "leader").toUpperCase(Locale.ROOT));
        ProduceMode mode = ProduceMode.valueOf(
                reader.oneOf("producer.mode", "private", "exclusive", "shared").toUpperCase(Locale.ROOT));
        if (!mode.works(acks)) {
            throw reader.conflict("producer.mode", ACKS_NEEDED, "producer.acks");
        }
        long timeoutMs = reader.millis("producer.timeout", 1, LONGEST_TIME_MS);
        long lingerMs = reader.millis("producer.linger", 0, LONGEST_TIME_MS);
        if (lingerMs >= timeoutMs) {
            throw reader.conflict(
                    "producer.linger",
                    lingerMs + " ms are not shorter than rocketlog.producer.timeout, so every record could fail",
                    "producer.timeout");
        }
        return new Producer(
                acks,
                mode,
                reader.integer("producer.max-in-flight", 1, AppendResult.MOST_IN_FLIGHT),
                batch,
                lingerMs,
                memory,
                ring,
                timeoutMs,
                reader.millis("producer.retry-delay", 1, LONGEST_TIME_MS),
                reader.millis("producer.lease-delay", 1, LONGEST_TIME_MS));
    }

    /** Returns a copy that connects to the given broker. */
    public LogClientSettings withBroker(InetSocketAddress broker) {
        return new LogClientSettings(
                broker.getHostString(), broker.getPort(), name, connectTimeoutMs, producer, consumer);
    }

    /**
     * Returns a copy with the given name.
     *
     * @throws IllegalArgumentException if the name is longer than 256 bytes, or contains a control character, a line
     *     separator, or a mark that changes the direction of text
     */
    public LogClientSettings withName(String other) {
        return new LogClientSettings(host, port, other, connectTimeoutMs, producer, consumer);
    }

    /** Returns a copy with different settings for producers. */
    public LogClientSettings withProducer(Producer other) {
        return new LogClientSettings(host, port, name, connectTimeoutMs, other, consumer);
    }

    /** Returns the broker's address, after resolving the host name. */
    InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }
}
