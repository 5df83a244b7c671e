package io.rocketbufs.rocketnet.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import java.time.Duration;

/**
 * The settings under {@code rocketbufs.rdma}. Each key is explained in reference.conf.
 *
 * @param provider name of the libfabric provider, or {@link #AUTO}
 * @param library file name of libfabric
 * @param numThreads number of workers of a NIC in addition to its monitor; if 0, the monitor handles the events
 * @param receives number of receives that each connection keeps posted
 * @param window maximum number of outstanding operations of a connection
 * @param signalInterval one in every {@code signalInterval} operations reports its completion
 * @param injectThreshold maximum length in bytes of a write that is copied when it is posted; the provider may have a
 *     lower limit
 * @param spinNs time in ns for which a monitor polls for events before it blocks
 * @param maxConnections maximum number of connections of a NIC
 * @param connectTimeoutMs maximum time in ms for connecting
 */
record RdmaSettings(
        String provider,
        String library,
        int numThreads,
        int receives,
        int window,
        int signalInterval,
        int injectThreshold,
        long spinNs,
        int maxConnections,
        long connectTimeoutMs) {

    /** The name that selects the best working provider. */
    static final String AUTO = "auto";

    /** Minimum number of receives, two of which are reserved for notices. */
    static final int MIN_RECEIVES = 4;

    private static final String PATH = "rocketbufs.rdma";
    private static final int MAX_THREADS = 1024;
    private static final int MAX_RECEIVES = 1 << 14;
    private static final int MAX_WINDOW = 1 << 14;
    private static final int MAX_CONNECTIONS = Contexts.MAX_CONNECTION;
    private static final long MAX_SPIN_MS = 1_000;
    private static final long MAX_CONNECT_TIMEOUT_MS = Duration.ofDays(1).toMillis();

    /**
     * Reads and checks the settings.
     *
     * @param config the whole configuration
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; names the key, file and line of the first
     *     invalid value
     */
    static RdmaSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, PATH);
        String[] names = RdmaProviders.NAMES.toArray(new String[RdmaProviders.NAMES.size() + 1]);
        names[names.length - 1] = AUTO;
        RdmaSettings settings = new RdmaSettings(
                reader.oneOf("provider", names),
                reader.text("library"),
                reader.integer("num-threads", 0, MAX_THREADS),
                reader.integer("receives", MIN_RECEIVES, MAX_RECEIVES),
                reader.integer("window", 2, MAX_WINDOW),
                reader.integer("signal-interval", 1, MAX_WINDOW),
                (int) reader.bytes("inject-threshold", 0, Integer.MAX_VALUE),
                reader.integer("spin-us", 0, (int) MAX_SPIN_MS * 1_000) * 1_000L,
                reader.integer("max-connections", 1, MAX_CONNECTIONS),
                reader.millis("connect-timeout", 1, MAX_CONNECT_TIMEOUT_MS));
        if (settings.signalInterval > settings.window / 2) {
            throw reader.conflict("signal-interval", "must be at most half of window = " + settings.window, "window");
        }
        return settings;
    }
}
