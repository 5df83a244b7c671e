package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.rbmq.protocol.ListenerSettings;
import io.rocketbufs.settings.SettingsReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;

/**
 * The settings of a broker.
 *
 * @param listeners at least one
 * @param admin the admin interface
 * @param access which clients are accepted, and what they may do
 * @param capacity capacity of the buffer for each topic of a publisher, in bytes, unless the publisher's own buffer is
 *     larger
 * @param maxCapacity capacity of the largest buffer that the broker creates to match a publisher's, in bytes
 * @param keep number of bytes of the newest data in each buffer that subscribers that reconnect can still receive
 * @param slow treatment of slow subscribers; its policy applies to subscribers that request none
 * @param joinTimeoutMs maximum time that a new publisher's data is held for each subscriber of its topic
 * @param drainTimeoutMs maximum time that the remaining data of a departed publisher is kept for slow subscribers
 * @param topicsPerFilter maximum number of topics that one subscription with wildcards can match
 * @param limits maximum numbers for each connection
 */
public record BrokerSettings(
        List<ListenerSettings> listeners,
        AdminSettings admin,
        AccessSettings access,
        long capacity,
        long maxCapacity,
        long keep,
        Slow slow,
        long joinTimeoutMs,
        long drainTimeoutMs,
        int topicsPerFilter,
        Limits limits) {
    private static final String[] POLICIES = {"block", "disconnect", "skip"};
    private static final long MIN_CAPACITY = 16;
    private static final long MAX_BYTES = 1L << 40;
    private static final long DAY_MS = 86_400_000;
    /** A connection cannot have more subscriptions to buffers. */
    private static final int MAX_TOPICS = 65_536;

    private static final int MAX_COUNT = 1_000_000_000;

    /**
     * Reads and checks all settings of a broker.
     *
     * @param config resolved, with the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first bad value
     */
    public static BrokerSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq");
        long capacity = reader.bytes("broker.capacity", MIN_CAPACITY, MAX_BYTES);
        BrokerSettings settings = new BrokerSettings(
                ListenerSettings.from(config),
                AdminSettings.from(config),
                AccessSettings.from(config),
                capacity,
                reader.bytes("broker.max-capacity", capacity, MAX_BYTES),
                reader.bytes("broker.keep", 0, MAX_BYTES),
                new Slow(
                        SlowPolicy.valueOf(
                                reader.oneOf("broker.slow-policy", POLICIES).toUpperCase(Locale.ROOT)),
                        reader.bytes("broker.lag-limit", 0, MAX_BYTES),
                        reader.millis("broker.lag-timeout", 1, DAY_MS),
                        reader.millis("broker.stall-timeout", 1, DAY_MS),
                        reader.millis("broker.block-timeout", 0, DAY_MS)),
                reader.millis("broker.join-timeout", 1, DAY_MS),
                reader.millis("broker.drain-timeout", 1, DAY_MS),
                reader.integer("broker.topics-per-filter", 1, MAX_TOPICS),
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

    /**
     * The maximum numbers for each connection. A request that exceeds one is refused.
     *
     * @param subscriptionsPerConnection maximum number of a subscriber's subscriptions to topics and filters
     * @param topicsPerConnection maximum number of topics that a publisher publishes to, or that match a subscriber's
     *     filters; a topic counts once for each filter that matches it
     */
    public record Limits(int subscriptionsPerConnection, int topicsPerConnection) {}

    /**
     * The treatment of slow subscribers.
     *
     * @param policy policy for subscribers that request none
     * @param lagLimit bytes that may wait for a subscriber under {@link SlowPolicy#DISCONNECT}; 0 for no limit
     * @param lagTimeoutMs maximum time that messages may wait for a subscriber under {@link SlowPolicy#DISCONNECT}
     * @param stallTimeoutMs maximum time that a subscriber may consume nothing while data waits for it
     * @param blockTimeoutMs maximum time that a subscriber may delay a publisher in one episode; 0 for no limit
     */
    public record Slow(SlowPolicy policy, long lagLimit, long lagTimeoutMs, long stallTimeoutMs, long blockTimeoutMs) {}
}
