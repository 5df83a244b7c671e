package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.Config;
import io.rocketbufs.settings.SettingsReader;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings under {@code rocketbufs.shm}. Each key is explained in reference.conf.
 *
 * @param directoryName path of the directory that contains the sockets; empty for the user's default directory
 * @param groupName name or number of the group whose members may connect; empty for none
 * @param numThreads number of workers
 * @param spinNs time in ns for which a worker polls for data before it blocks
 * @param channelLength length in bytes of the channel through which each side of a connection receives
 * @param connectTimeoutMs maximum time in ms for connecting
 * @param backlog number of connections that may wait to be accepted
 * @param sharedFiles maximum number of regions that each side of a connection may share with the other at the same time
 */
record ShmSettings(
        String directoryName,
        String groupName,
        int numThreads,
        long spinNs,
        int channelLength,
        long connectTimeoutMs,
        int backlog,
        int sharedFiles) {

    private static final String PATH = "rocketbufs.shm";
    private static final int MAX_THREADS = 1024;
    private static final int MAX_SPIN_US = 1_000_000;
    private static final int MAX_BACKLOG = 65535;
    /** The maximum number of grants per connection. */
    private static final int MAX_SHARED_FILES = 1024;

    private static final long MAX_CONNECT_TIMEOUT_MS = Duration.ofDays(1).toMillis();

    /**
     * Reads and checks the settings.
     *
     * @param config the whole configuration
     * @throws io.rocketbufs.settings.SettingsException if a value is invalid; names the key, file and line of the first
     *     invalid value
     */
    static ShmSettings from(Config config) {
        SettingsReader reader = new SettingsReader(config, PATH);
        int numThreads = reader.integer("num-threads", 0, MAX_THREADS);
        ShmSettings settings = new ShmSettings(
                reader.text("directory"),
                reader.text("group"),
                numThreads > 0 ? numThreads : Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                reader.integer("spin-us", 0, MAX_SPIN_US) * 1_000L,
                (int) reader.bytes("channel-length", ShmLayout.SHORTEST_CHANNEL, ShmLayout.LONGEST_CHANNEL),
                reader.millis("connect-timeout", 1, MAX_CONNECT_TIMEOUT_MS),
                reader.integer("backlog", 1, MAX_BACKLOG),
                reader.integer("shared-files", 0, MAX_SHARED_FILES));
        settings.check(reader);
        return settings;
    }

    private void check(SettingsReader reader) {
        if (!ShmLayout.isChannelLength(channelLength)) {
            throw reader.wrong("channel-length", "= " + channelLength + " is not a power of two");
        }
        if (!directoryName.isEmpty()) {
            checkDirectory(reader);
        } else if (!groupName.isEmpty()) {
            throw reader.conflict("group", "requires that rocketbufs.shm.directory is also set", "directory");
        }
    }

    private void checkDirectory(SettingsReader reader) {
        int length;
        try {
            length = ShmDirectory.length(Path.of(directoryName).toAbsolutePath());
        } catch (InvalidPathException e) {
            throw reader.wrong("directory", "is not a path: " + e.getReason());
        }
        if (length > ShmDirectory.MAX_LENGTH) {
            throw reader.wrong(
                    "directory",
                    "has an absolute path of " + length + " bytes; the maximum is " + ShmDirectory.MAX_LENGTH
                            + ", because the system limits the paths of sockets");
        }
    }
}
