package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.settings.SettingsReader;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code rocketlog topics create}, which creates a topic. */
@Command(
        name = "create",
        description = {
            "Creates a topic. Succeeds if it exists with the same number of partitions and storage, and with the"
                    + " values that are set.",
            "--set also sets keys of the topic: retention.time, retention.length and segment-length have the meanings"
                    + " of rocketlog.retention.time, rocketlog.retention.length and rocketlog.segment-length, and take"
                    + " precedence over the broker's configuration. They cannot be changed later."
        },
        footer = {
            "",
            "Examples:",
            "  rocketlog topics create orders",
            "  rocketlog topics create prices --partitions 8 --set retention.time=12h",
            "  rocketlog topics create audit --set retention.time=none --set segment-length=64MiB",
            "  rocketlog topics create ticks --storage memory --capacity 256MiB"
        })
final class TopicCreateCommand implements Callable<Integer> {
    private static final String NO_LIMIT = "none";

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    LogClientOptions client =
            new LogClientOptions(LogConfigurationOptions.forClients().withOwnKeys(LogTopicOptions.NAMES));

    @Parameters(paramLabel = "TOPIC", description = "Topic to create.")
    String topic;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of partitions; ${DEFAULT-VALUE} by default. It cannot be changed later.")
    int partitions;

    @Option(
            names = "--storage",
            paramLabel = "STORAGE",
            defaultValue = "disk",
            description = "disk (default), or memory: the broker keeps only the newest records, in memory, and loses"
                    + " them when it ends. It cannot be changed later.")
    TopicStorage storage;

    @Option(
            names = "--capacity",
            paramLabel = "BYTES",
            converter = Units.LongLengthConverter.class,
            description = "Memory of each partition with --storage memory, such as 256MiB. By default, the broker's"
                    + " rocketlog.memory.capacity.")
    Long capacity;

    @Override
    public Integer call() {
        if (partitions < 1) {
            throw CommandFailure.usage("--partitions " + partitions + ": must be at least 1");
        }
        if (capacity != null && (storage != TopicStorage.MEMORY || capacity < 1)) {
            throw CommandFailure.usage("--capacity " + capacity + ": must be positive, and needs --storage memory");
        }
        Config loaded = client.load();
        LogTopicOptions options = options(new SettingsReader(client.config.own(), ""));
        if (storage == TopicStorage.MEMORY && !options.equals(LogTopicOptions.NONE)) {
            throw CommandFailure.usage("--set " + options.names().get(0) + ": needs --storage disk; the capacity of a"
                    + " topic in memory determines what it keeps");
        }
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                TopicClient topics = TopicClient.connect(rocketBufs, client.settings(loaded))) {
            create(topics, options);
        } catch (LogClientException e) {
            throw LogClientOptions.failure(e);
        }
        return ExitCode.DONE;
    }

    private void create(TopicClient topics, LogTopicOptions options) {
        if (storage == TopicStorage.MEMORY) {
            topics.createInMemory(topic, partitions, capacity == null ? 0 : capacity);
        } else {
            topics.create(topic, partitions, options);
        }
    }

    private static LogTopicOptions options(SettingsReader set) {
        return new LogTopicOptions(
                set.has(LogTopicOptions.RETENTION_TIME) ? retentionTime(set) : LogTopicOptions.UNSET,
                set.has(LogTopicOptions.RETENTION_LENGTH)
                        ? set.bytesUnless(
                                LogTopicOptions.RETENTION_LENGTH, NO_LIMIT, 1, LogTopicOptions.LARGEST_RETENTION)
                        : LogTopicOptions.UNSET,
                set.has(LogTopicOptions.SEGMENT_LENGTH)
                        ? set.bytes(
                                LogTopicOptions.SEGMENT_LENGTH,
                                LogTopicOptions.SHORTEST_SEGMENT,
                                LogTopicOptions.LONGEST_SEGMENT)
                        : LogTopicOptions.UNSET);
    }

    /**
     * Returns the retention time. Rejects a number without a unit: it would mean milliseconds, and the topic would keep
     * almost no records.
     */
    private static long retentionTime(SettingsReader set) {
        String text = set.text(LogTopicOptions.RETENTION_TIME);
        if (text.equals(NO_LIMIT)) {
            return LogTopicOptions.UNLIMITED;
        }
        if (text.matches("[-+.0-9eE]+")) {
            throw set.wrong(LogTopicOptions.RETENTION_TIME, text + " has no unit; write, for example, 12 h or 7 d");
        }
        return set.millis(LogTopicOptions.RETENTION_TIME, 1, LogTopicOptions.LONGEST_RETENTION_MS);
    }
}
