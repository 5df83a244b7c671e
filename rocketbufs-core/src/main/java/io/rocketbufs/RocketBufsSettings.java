package io.rocketbufs;

import com.typesafe.config.Config;
import io.rocketbufs.link.Heartbeat;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.session.SessionSettings;
import io.rocketbufs.settings.SettingsReader;

/**
 * The settings below {@code rocketbufs} in the configuration, apart from the transports' own sections. Each key is
 * explained in reference.conf.
 *
 * @param transport name of the default transport
 * @param bufferCapacity default capacity of a buffer in bytes
 * @param coalescing false: no buffer's deliveries travel together, whatever its {@link BufferOptions} say
 * @param slabLength bytes of memory that are reserved from the system at a time
 * @param heartbeatIntervalMs longest interval at which something is sent
 * @param heartbeatTimeoutMs a peer that is silent for this long is considered dead
 * @param greetingTimeoutMs how long a new connection may take to send its greeting
 * @param closeTimeoutMs how long a graceful close may take
 * @param writeTimeoutMs how long writes, of which none completes, may keep memory in use that a producer needs
 */
public record RocketBufsSettings(
        String transport,
        long bufferCapacity,
        boolean coalescing,
        long slabLength,
        int heartbeatIntervalMs,
        long heartbeatTimeoutMs,
        long greetingTimeoutMs,
        long closeTimeoutMs,
        long writeTimeoutMs) {

    private static final long MAX_BYTES = 1L << 40;
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
                reader.bool("coalescing"),
                reader.bytes("slab-length", 1, MAX_BYTES),
                (int) reader.millis("heartbeat-interval", 1, HOUR_MS),
                reader.millis("heartbeat-timeout", 1, HOUR_MS),
                reader.millis("greeting-timeout", 1, HOUR_MS),
                reader.millis("close-timeout", 1, HOUR_MS),
                reader.millis("write-timeout", 1, HOUR_MS));
        if (settings.heartbeatTimeoutMs <= settings.heartbeatIntervalMs) {
            throw reader.wrong("heartbeat-timeout", "must be longer than heartbeat-interval");
        }
        return settings;
    }

    SessionSettings session() {
        return new SessionSettings(
                new Heartbeat.Times(heartbeatIntervalMs, heartbeatTimeoutMs, greetingTimeoutMs),
                closeTimeoutMs,
                writeTimeoutMs);
    }
}
