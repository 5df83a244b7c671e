package io.rocketbufs.rocketnet.tcp;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import java.time.Duration;
import java.util.Locale;

/**
 * The settings under {@code rocketbufs.tcp}. Each key is explained in reference.conf.
 *
 * @param numThreads number of workers
 * @param threadPinning whether each worker is pinned to a core
 * @param io the I/O implementation
 * @param spinNs time in ns for which a worker polls for events before it blocks
 * @param sendBuffer SO_SNDBUF in bytes; 0 keeps the system's default
 * @param receiveBuffer SO_RCVBUF in bytes; 0 keeps the system's default
 * @param stageLength maximum number of bytes that a worker reads with one system call while frames are small
 * @param directThreshold minimum number of missing bytes of a frame that are read directly into their buffer
 * @param connectTimeoutMs maximum time in ms for connecting
 * @param backlog number of connections that may wait to be accepted
 */
record TcpSettings(
        int numThreads,
        boolean threadPinning,
        Io io,
        long spinNs,
        int sendBuffer,
        int receiveBuffer,
        int stageLength,
        int directThreshold,
        long connectTimeoutMs,
        int backlog) {

    private static final String PATH = "rocketbufs.tcp";
    private static final int MAX_THREADS = 1024;
    private static final int MAX_SPIN_US = 1_000_000;
    private static final int MAX_SOCKET_BUFFER = 1 << 30;
    private static final int MAX_STAGE_LENGTH = 16 << 20;
    private static final int MAX_BACKLOG = 65535;
    private static final long MAX_CONNECT_TIMEOUT_MS = Duration.ofDays(1).toMillis();

    /** The I/O implementations. */
    enum Io {
        /** Uses epoll if it is available, and NIO otherwise. */
        AUTO,
        /** Uses epoll; opening the transport fails if epoll is not available. */
        EPOLL,
        /** Uses NIO. */
        NIO
    }

    /**
     * Reads and checks the settings.
     *
     * @param config the whole configuration
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; names the key, file and line of the first
     *     invalid value
     */
    static TcpSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, PATH);
        int numThreads = reader.integer("num-threads", 0, MAX_THREADS);
        return new TcpSettings(
                numThreads > 0 ? numThreads : Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                reader.bool("thread-pinning"),
                Io.valueOf(reader.oneOf("io", "auto", "epoll", "nio").toUpperCase(Locale.ROOT)),
                reader.integer("spin-us", 0, MAX_SPIN_US) * 1_000L,
                (int) reader.bytes("send-buffer", 0, MAX_SOCKET_BUFFER),
                (int) reader.bytes("receive-buffer", 0, MAX_SOCKET_BUFFER),
                (int) reader.bytes("stage-length", TcpFrameLayout.HEADER_LENGTH, MAX_STAGE_LENGTH),
                (int) reader.bytes("direct-threshold", 1, Integer.MAX_VALUE),
                reader.millis("connect-timeout", 1, MAX_CONNECT_TIMEOUT_MS),
                reader.integer("backlog", 1, MAX_BACKLOG));
    }
}
