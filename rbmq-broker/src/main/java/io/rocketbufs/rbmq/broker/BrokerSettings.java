package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import io.rocketbufs.rbmq.protocol.ListenerSettings;
import io.rocketbufs.settings.SettingsReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * The settings of a broker.
 *
 * @param listeners at least one
 * @param admin the admin interface
 * @param access which clients are accepted, and what they may do
 * @param buffers the buffers of topics to which no rule applies
 * @param topics rules for the buffers of some topics; the first that matches a topic applies
 * @param topicsPerFilter maximum number of topics that one subscription with wildcards can match
 * @param groupBatch maximum number of messages that a group gives to a member at a time
 * @param limits maximum numbers for each connection
 */
public record BrokerSettings(
        List<ListenerSettings> listeners,
        AdminSettings admin,
        AccessSettings access,
        BufferSettings buffers,
        List<TopicSettings> topics,
        int topicsPerFilter,
        int groupBatch,
        Limits limits) {
    /** A connection cannot have more subscriptions to buffers. */
    private static final int MAX_TOPICS = 65_536;

    private static final int MAX_COUNT = 1_000_000_000;
    private static final int MAX_GROUP_BATCH = 4096;

    /**
     * Reads and checks all settings of a broker.
     *
     * @param config resolved, with the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static BrokerSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq");
        SettingsReader broker = new SettingsReader(config, "rbmq.broker");
        BrokerSettings settings = new BrokerSettings(
                ListenerSettings.from(config),
                AdminSettings.from(config),
                AccessSettings.from(config),
                BufferSettings.from(broker),
                TopicSettings.from(reader, broker),
                broker.integer("topics-per-filter", 1, MAX_TOPICS),
                broker.integer("group-batch", 1, MAX_GROUP_BATCH),
                new Limits(
                        reader.integer("limits.subscriptions-per-connection", 1, MAX_COUNT),
                        reader.integer("limits.topics-per-connection", 1, MAX_COUNT)));
        settings.checkExposure(reader);
        return settings;
    }

    private void checkExposure(SettingsReader reader) {
        String key = reader.list("listeners").isEmpty() ? "address" : "listeners";
        listeners.forEach(listener -> checkExposure(reader, key, listener.host()));
        if (admin.enabled()) {
            checkExposure(reader, "admin.address", admin.host());
        }
    }

    /** Checks an address. Even a client that may do nothing uses memory, so exposing it is a choice of the operator. */
    private void checkExposure(SettingsReader reader, String key, String host) {
        try {
            if (!InetAddress.getByName(host).isLoopbackAddress()
                    && access.users().isEmpty()
                    && !access.insecure()) {
                throw reader.conflict(
                        key,
                        "\"" + host + "\" is not loopback: set rbmq.credentials or rbmq.users, or set rbmq.insecure ="
                                + " true to accept unauthenticated clients",
                        "credentials",
                        "users",
                        "insecure");
            }
        } catch (UnknownHostException e) {
            throw reader.wrong(key, "\"" + host + "\" is not a known host");
        }
    }

    /** Returns the capacity of the largest buffer that a publisher may announce, of any topic, in bytes. */
    long largestCapacity() {
        return largest(BufferSettings::maxCapacity);
    }

    /** Returns the longest time for which the data of a departed publisher may be kept, of any topic. */
    long longestDrainTimeoutMs() {
        return largest(BufferSettings::drainTimeoutMs);
    }

    private long largest(ToLongFunction<BufferSettings> value) {
        return Stream.concat(Stream.of(buffers), topics.stream().map(TopicSettings::buffers))
                .mapToLong(value)
                .max()
                .getAsLong();
    }

    /** Returns warnings of settings that are valid, but probably not intended. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(access.warnings());
        warnings.addAll(TopicSettings.warnings(topics));
        return warnings;
    }

    /**
     * The maximum numbers for each connection. A request that exceeds one is refused.
     *
     * @param subscriptionsPerConnection maximum number of a subscriber's subscriptions to topics and filters
     * @param topicsPerConnection maximum number of topics that a publisher publishes to, or that match a subscriber's
     *     filters; a topic counts once for each filter that matches it
     */
    public record Limits(int subscriptionsPerConnection, int topicsPerConnection) {}
}
