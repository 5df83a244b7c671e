package io.rocketbufs.rbmq.broker;

import com.typesafe.config.Config;
import io.rocketbufs.AutomaticTransports;
import io.rocketbufs.ListenerSettings;
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
 * @param listeners the listeners, at least one
 * @param admin the admin interface
 * @param access determines which clients are accepted and what they may do
 * @param buffers settings for the buffers of topics to which no rule applies
 * @param topics rules for the buffers of specific topics; the first rule that matches a topic applies
 * @param groupBatch maximum number of messages that a group hands to a member at a time
 * @param limits maximum numbers for each connection and across all connections
 * @param logLevel the lowest level that {@code rbmq broker} logs
 * @param values the values by key, used to compare settings
 */
public record BrokerSettings(
        List<ListenerSettings> listeners,
        AdminSettings admin,
        AccessSettings access,
        BufferSettings buffers,
        List<TopicSettings> topics,
        int groupBatch,
        Limits limits,
        String logLevel,
        KeyedSettings values) {
    /** Maximum number of buffers to which one connection can subscribe. */
    private static final int MAX_TOPICS = 65_536;

    private static final int MAX_COUNT = 1_000_000_000;
    private static final int MAX_GROUP_BATCH = 4096;
    private static final long MAX_BYTES = 1L << 40;
    /** The name of the transport that encrypts. */
    private static final String ENCRYPTED = "tls";

    private static final String[] LOG_LEVELS = {"error", "warn", "info", "debug", "trace"};

    /**
     * Reads and checks all settings of a broker.
     *
     * @param config a resolved configuration that includes the modules' reference.conf
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    public static BrokerSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rbmq");
        SettingsReader broker = new SettingsReader(config, "rbmq.broker");
        BrokerSettings settings = new BrokerSettings(
                ListenerSettings.from(config, "rbmq"),
                AdminSettings.from(config),
                AccessSettings.from(config),
                BufferSettings.from(broker),
                TopicSettings.from(reader, broker),
                broker.integer("group-batch", 1, MAX_GROUP_BATCH),
                Limits.from(broker, new SettingsReader(config, "rbmq.limits")),
                reader.oneOf("log-level", LOG_LEVELS),
                KeyedSettings.from(config));
        settings.checkExposure(reader, "");
        settings.checkEncryption(config, reader);
        settings.checkCertificate(config);
        settings.admin.checkCertificate(new SettingsReader(config, "rbmq.admin"));
        return settings;
    }

    /**
     * Reads and checks settings that replace those of a running broker. The broker keeps its addresses.
     *
     * @param config a resolved configuration that includes the modules' reference.conf
     * @param running the settings in force
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; the message names the key, file and line
     *     of the first invalid value
     */
    public static BrokerSettings reloaded(Config config, BrokerSettings running) {
        BrokerSettings settings = from(config);
        settings.runningAs(running)
                .checkExposure(
                        new SettingsReader(config, "rbmq"), ", on which the broker listens until it is restarted,");
        return settings;
    }

    /** Returns true if the text is a valid value of {@code rbmq.log-level}. */
    public static boolean isLogLevel(String level) {
        return List.of(LOG_LEVELS).contains(level);
    }

    /** Returns a copy that keeps the running value of each setting whose change needs a restart. */
    BrokerSettings runningAs(BrokerSettings running) {
        return new BrokerSettings(
                running.listeners,
                running.admin,
                access,
                buffers,
                topics,
                groupBatch,
                limits,
                logLevel,
                values.with(SettingsChanges::needsRestart, running.values));
    }

    /**
     * Checks that no address is exposed unintentionally.
     *
     * @param use text that follows the address in an error message
     */
    private void checkExposure(SettingsReader reader, String use) {
        String key = reader.list("listeners").isEmpty() ? "address" : "listeners";
        listeners.forEach(listener -> checkExposure(reader, key, listener.host(), use));
        if (admin.enabled()) {
            checkExposure(reader, "admin.address", admin.host(), use);
        }
    }

    /**
     * Checks that an address is not exposed unintentionally. Even a client without any permission uses memory, so
     * exposing an address is the operator's decision.
     */
    private void checkExposure(SettingsReader reader, String key, String host, String use) {
        if (!isLoopback(reader, key, host) && access.users().isEmpty() && !access.insecure()) {
            throw reader.conflict(
                    key,
                    "\"" + host + "\"" + use
                            + " is not a loopback address: set rbmq.credentials or rbmq.users, or set"
                            + " rbmq.insecure = true to accept unauthenticated clients",
                    "credentials",
                    "users",
                    "insecure");
        }
    }

    /** Checks that, if the operator requires TLS, nothing is sent unencrypted to other machines. */
    private void checkEncryption(Config config, SettingsReader reader) {
        List<String> exceptions = reader.texts("tls.except");
        AutomaticTransports known = new AutomaticTransports(config);
        if (!reader.bool("tls.require")) {
            return;
        }
        String key = reader.list("listeners").isEmpty() ? "address" : "listeners";
        for (ListenerSettings listener : listeners) {
            String transport = listener.transport();
            if (!transport.equals(ENCRYPTED)
                    && !known.staysOnMachine(transport)
                    && !exceptions.contains(transport)
                    && !isLoopback(reader, key, listener.host())) {
                throw reader.wrong(
                        key,
                        "\"" + listener.host() + "\" is not a loopback address, and transport \"" + transport
                                + "\" does not encrypt, but rbmq.tls.require is on: use transport \"tls\", or add \""
                                + transport + "\" to rbmq.tls.except to send its messages unencrypted");
            }
        }
        if (admin.enabled()
                && admin.tls() == null
                && !exceptions.contains("admin")
                && !isLoopback(reader, "admin.address", admin.host())) {
            throw reader.wrong(
                    "admin.address",
                    "\"" + admin.host() + "\" is not a loopback address, and the admin interface does not encrypt, but"
                            + " rbmq.tls.require is on: set rbmq.admin.tls.enabled = on, use 127.0.0.1, or add"
                            + " \"admin\" to rbmq.tls.except");
        }
    }

    /** Checks that a certificate is configured if there are listeners with TLS. */
    private void checkCertificate(Config config) {
        SettingsReader tls = new SettingsReader(config, "rocketbufs.tls");
        boolean isInstalled = tls.has("certificate");
        boolean isUsed =
                listeners.stream().anyMatch(listener -> listener.transport().equals(ENCRYPTED));
        if (isInstalled && isUsed && tls.text("certificate").isEmpty()) {
            SettingsReader place = placeOfEncryption(config);
            boolean isNamed = place.text("transport").equals(ENCRYPTED);
            throw place.wrong(
                    "transport",
                    "\"" + ENCRYPTED + "\"" + (isNamed ? "" : ", which auto selects because of rocketbufs.tls,")
                            + " needs a certificate to listen: set rocketbufs.tls.certificate and rocketbufs.tls.key"
                            + (isNamed
                                    ? ""
                                    : ", select another transport by name, or set the files in rbmq.admin.tls if only"
                                            + " the admin interface uses TLS"));
        }
    }

    /**
     * Returns the section that names the transport with TLS or, if there is no such section, the section that names
     * {@code auto}.
     */
    private static SettingsReader placeOfEncryption(Config config) {
        List<SettingsReader> entries = new SettingsReader(config, "rbmq").list("listeners");
        return Stream.of(ENCRYPTED, AutomaticTransports.NAME)
                .flatMap(name ->
                        entries.stream().filter(entry -> entry.text("transport").equals(name)))
                .findFirst()
                .orElseGet(() -> new SettingsReader(config, "rocketbufs"));
    }

    private static boolean isLoopback(SettingsReader reader, String key, String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw reader.wrong(key, "\"" + host + "\" is not a known host");
        }
    }

    /** Returns the capacity in bytes of the largest buffer that a publisher may announce for any topic. */
    long largestCapacity() {
        return largest(BufferSettings::maxCapacity);
    }

    /**
     * Returns the longest time in milliseconds for which the data of a departed publisher may be kept for any topic.
     */
    long longestDrainTimeoutMs() {
        return largest(BufferSettings::drainTimeoutMs);
    }

    private long largest(ToLongFunction<BufferSettings> value) {
        return Stream.concat(Stream.of(buffers), topics.stream().map(TopicSettings::buffers))
                .mapToLong(value)
                .max()
                .getAsLong();
    }

    /** Returns warnings about settings that are valid but probably unintended. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(access.warnings());
        warnings.addAll(TopicSettings.warnings(topics));
        access.users().stream().filter(user -> user.certificate() != null).forEach(user -> addWarnings(user, warnings));
        return warnings;
    }

    private void addWarnings(UserSettings user, List<String> warnings) {
        String start = "rbmq.users: " + user.describe() + " has ";
        KeyedSettings.Value authorities = values.values().get("rocketbufs.tls.client-ca");
        if (listeners.stream().noneMatch(listener -> listener.transport().equals(ENCRYPTED))) {
            warnings.add(start + "a certificate, but no listener has transport = tls, so it is never recognized");
        } else if (authorities == null || authorities.shown().isEmpty()) {
            warnings.add(start + "a certificate, but rocketbufs.tls.client-ca is not set, so listeners do not ask for"
                    + " certificates, and it is never recognized");
        }
        if (user.admin()) {
            warnings.add(start + "admin = true, which has no effect: the admin interface recognizes tokens only");
        }
    }

    /**
     * The maximum numbers for each connection and across all connections. Requests that exceed them are refused.
     *
     * @param topicsPerFilter maximum number of topics that one subscription with wildcards can match
     * @param connections maximum number of connections across all clients
     * @param topics maximum number of topics across all publishers; a topic counts once for each of its publishers
     * @param subscriptions maximum number of subscriptions across all subscribers
     * @param memory number of bytes of physical memory above which further topics and subscriptions are refused
     * @param subscriptionsPerConnection maximum number of a subscriber's subscriptions to topics and filters
     * @param topicsPerConnection maximum number of topics to which one publisher can publish, or that the filters of
     *     one subscriber can match. A topic counts once for each filter that matches it
     * @param sharesPerConnection maximum number of buffers that one connection can read as a member of groups
     * @param keptBytes maximum number of bytes of memory for the last messages of departed publishers, across all
     *     connections
     */
    public record Limits(
            int topicsPerFilter,
            int connections,
            int topics,
            int subscriptions,
            long memory,
            int subscriptionsPerConnection,
            int topicsPerConnection,
            int sharesPerConnection,
            long keptBytes) {
        private static final long MAX_MEMORY = 1L << 50;

        private static Limits from(SettingsReader broker, SettingsReader reader) {
            long memory = reader.bytesUnless("memory", "auto", 1, MAX_MEMORY);
            return new Limits(
                    broker.integer("topics-per-filter", 1, MAX_TOPICS),
                    reader.integer("connections", 1, MAX_COUNT),
                    reader.integer("topics", 1, MAX_COUNT),
                    reader.integer("subscriptions", 1, MAX_COUNT),
                    memory < 0 ? ProcessMemory.available() / 4 * 3 : memory,
                    reader.integer("subscriptions-per-connection", 1, MAX_COUNT),
                    reader.integer("topics-per-connection", 1, MAX_COUNT),
                    reader.integer("shares-per-connection", 1, MAX_COUNT),
                    reader.bytes("kept-bytes", 0, MAX_BYTES));
        }
    }
}
