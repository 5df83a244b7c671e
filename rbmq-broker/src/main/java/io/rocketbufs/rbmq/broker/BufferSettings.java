package io.rocketbufs.rbmq.broker;

import io.rocketbufs.options.SlowPolicy;
import io.rocketbufs.settings.SettingsReader;
import java.util.List;
import java.util.Locale;

/**
 * The settings of a broker's buffers, each of which holds the data of one topic of one publisher.
 *
 * @param capacity capacity of a buffer in bytes, unless the publisher's own buffer is larger
 * @param maxCapacity maximum capacity in bytes of a buffer that the broker creates to match a publisher's buffer
 * @param keep number of bytes of the newest data in each buffer that subscribers joining later still receive
 * @param keepsLast whether the last message of a topic is kept regardless of its length, even after its publisher has
 *     left
 * @param slow treatment of slow subscribers; its policy applies to subscribers that do not request one
 * @param joinTimeoutMs maximum time in milliseconds for which a new publisher's data is held for each subscriber of its
 *     topic
 * @param drainTimeoutMs maximum time in milliseconds for which the remaining data of a departed publisher is kept for
 *     slow subscribers
 */
public record BufferSettings(
        long capacity,
        long maxCapacity,
        long keep,
        boolean keepsLast,
        Slow slow,
        long joinTimeoutMs,
        long drainTimeoutMs) {
    private static final String CAPACITY = "capacity";
    private static final String MAX_CAPACITY = "max-capacity";
    private static final String KEEP = "keep";
    private static final String SLOW_POLICY = "slow-policy";
    private static final String LAG_TIMEOUT = "lag-timeout";
    private static final String LAG_LIMIT = "lag-limit";
    private static final String STALL_TIMEOUT = "stall-timeout";
    private static final String BLOCK_TIMEOUT = "block-timeout";
    private static final String JOIN_TIMEOUT = "join-timeout";
    private static final String DRAIN_TIMEOUT = "drain-timeout";
    /** The keys of all these settings. */
    static final List<String> KEYS = List.of(
            CAPACITY,
            MAX_CAPACITY,
            KEEP,
            SLOW_POLICY,
            LAG_TIMEOUT,
            LAG_LIMIT,
            STALL_TIMEOUT,
            BLOCK_TIMEOUT,
            JOIN_TIMEOUT,
            DRAIN_TIMEOUT);

    private static final String LAST = "last";
    private static final String[] POLICIES = {"block", "disconnect", "skip"};
    private static final long MIN_CAPACITY = 16;
    private static final long MAX_BYTES = 1L << 40;
    private static final long DAY_MS = 86_400_000;

    /**
     * The treatment of slow subscribers.
     *
     * @param policy policy for subscribers that do not request one
     * @param lagLimit bytes that may wait for a subscriber under {@link SlowPolicy#DISCONNECT}; 0 for no limit
     * @param lagTimeoutMs maximum time in milliseconds that messages may wait for a subscriber under
     *     {@link SlowPolicy#DISCONNECT}
     * @param stallTimeoutMs maximum time in milliseconds that a subscriber may consume nothing while data waits for it
     * @param blockTimeoutMs maximum time in milliseconds that a subscriber may delay a publisher in one episode; 0 for
     *     no limit
     */
    public record Slow(SlowPolicy policy, long lagLimit, long lagTimeoutMs, long stallTimeoutMs, long blockTimeoutMs) {}

    /** The values of a rule, with the broker's values for the keys that the rule does not set. */
    private record Values(SettingsReader rule, SettingsReader broker) {
        SettingsReader of(String key) {
            return rule.has(key) ? rule : broker;
        }

        long bytes(String key, long min) {
            return of(key).bytes(key, min, MAX_BYTES);
        }

        long millis(String key, long min) {
            return of(key).millis(key, min, DAY_MS);
        }
    }

    /**
     * Reads the settings that apply unless a rule overrides them.
     *
     * @param broker reader of {@code rbmq.broker}
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    static BufferSettings from(SettingsReader broker) {
        return from(broker, broker);
    }

    /**
     * Reads the settings of a rule.
     *
     * @param broker reader of {@code rbmq.broker}, for the keys that the rule does not set
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    static BufferSettings from(SettingsReader rule, SettingsReader broker) {
        Values values = new Values(rule, broker);
        long capacity = values.bytes(CAPACITY, MIN_CAPACITY);
        long maxCapacity = values.bytes(MAX_CAPACITY, MIN_CAPACITY);
        if (maxCapacity < capacity) {
            throw exceeding(rule, capacity, maxCapacity);
        }
        long keep = values.of(KEEP).bytesUnless(KEEP, LAST, 0, MAX_BYTES);
        return new BufferSettings(
                capacity,
                maxCapacity,
                Math.max(keep, 0),
                keep < 0,
                new Slow(
                        SlowPolicy.valueOf(values.of(SLOW_POLICY)
                                .oneOf(SLOW_POLICY, POLICIES)
                                .toUpperCase(Locale.ROOT)),
                        values.bytes(LAG_LIMIT, 0),
                        values.millis(LAG_TIMEOUT, 1),
                        values.millis(STALL_TIMEOUT, 1),
                        values.millis(BLOCK_TIMEOUT, 0)),
                values.millis(JOIN_TIMEOUT, 1),
                values.millis(DRAIN_TIMEOUT, 1));
    }

    private static RuntimeException exceeding(SettingsReader rule, long capacity, long maxCapacity) {
        return rule.has(MAX_CAPACITY)
                ? rule.conflict(
                        MAX_CAPACITY,
                        maxCapacity + " bytes is less than " + (rule.has(CAPACITY) ? "" : "rbmq.broker.")
                                + "capacity = " + capacity + "; raise it, or set a lower capacity",
                        CAPACITY)
                : rule.conflict(
                        CAPACITY,
                        capacity + " bytes exceeds rbmq.broker.max-capacity = " + maxCapacity
                                + "; reduce it, or set max-capacity in this rule, too");
    }
}
