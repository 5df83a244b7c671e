package io.rocketbufs;

import com.typesafe.config.Config;
import io.rocketbufs.link.Heartbeat;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.session.SessionSettings;
import io.rocketbufs.settings.SettingsReader;

/**
 * The settings under {@code rocketbufs} in the configuration, apart from the transports' own sections. Each key is
 * explained in reference.conf.
 *
 * @param transport name of the default transport
 * @param bufferCapacity default capacity of a buffer in bytes
 * @param connectionCredit total number of bytes of memory that the producers of all buffers may use for one connection
 * @param coalescing false to disable the coalescing of deliveries in all buffers, regardless of their
 *     {@link BufferOptions}
 * @param slabLength number of bytes of memory to reserve from the operating system at a time
 * @param heartbeatIntervalMs longest time for which a connection sends nothing; a heartbeat is sent before this time
 *     has passed
 * @param heartbeatTimeoutMs how long a peer may be silent before it is considered dead
 * @param greetingTimeoutMs how long the peer of a new connection may take to send its greeting
 * @param ungreetedConnections number of accepted connections without a greeting above which the oldest is closed
 * @param closeTimeoutMs how long a graceful close may take
 * @param writeTimeoutMs longest time that may pass without a completed write while writes occupy memory that a producer
 *     needs
 */
public record RocketBufsSettings(
        String transport,
        long bufferCapacity,
        long connectionCredit,
        boolean coalescing,
        long slabLength,
        int heartbeatIntervalMs,
        long heartbeatTimeoutMs,
        long greetingTimeoutMs,
        int ungreetedConnections,
        long closeTimeoutMs,
        long writeTimeoutMs) {

    private static final long MAX_BYTES = 1L << 40;
    private static final int MAX_COUNT = 1_000_000_000;
    private static final long HOUR_MS = 3_600_000;

    /**
     * Reads and checks all settings.
     *
     * @throws io.rocketbufs.settings.SettingsException naming the key, file and line of the first invalid value
     */
    public static RocketBufsSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, "rocketbufs");
        RocketBufsSettings settings = new RocketBufsSettings(
                reader.text("transport"),
                reader.bytes("buffer-capacity", 1, MAX_BYTES),
                reader.bytes("connection-credit", 1, MAX_BYTES),
                reader.bool("coalescing"),
                reader.bytes("slab-length", 1, MAX_BYTES),
                (int) reader.millis("heartbeat-interval", 1, HOUR_MS),
                reader.millis("heartbeat-timeout", 1, HOUR_MS),
                reader.millis("greeting-timeout", 1, HOUR_MS),
                reader.integer("ungreeted-connections", 1, MAX_COUNT),
                reader.millis("close-timeout", 1, HOUR_MS),
                reader.millis("write-timeout", 1, HOUR_MS));
        if (settings.heartbeatTimeoutMs <= settings.heartbeatIntervalMs) {
            throw reader.conflict("heartbeat-timeout", "must be longer than heartbeat-interval", "heartbeat-interval");
        }
        return settings;
    }

    SessionSettings session() {
        return new SessionSettings(
                new Heartbeat.Times(heartbeatIntervalMs, heartbeatTimeoutMs, greetingTimeoutMs),
                closeTimeoutMs,
                writeTimeoutMs,
                connectionCredit);
    }
}
