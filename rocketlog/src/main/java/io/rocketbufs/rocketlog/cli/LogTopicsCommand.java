package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Units;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.TopicMessageLayout.TopicEntry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rocketlog topics}: lists, describes, creates and deletes the topics of a broker. */
@Command(
        name = "topics",
        description = "Lists the topics of a broker with their partition counts, or creates, describes or"
                + " deletes a topic.",
        footer = {
            "",
            "Examples:",
            "  rocketlog topics",
            "  rocketlog topics create orders --partitions 4",
            "  rocketlog topics describe orders",
            "  rocketlog topics delete orders"
        })
final class LogTopicsCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    LogClientOptions client = new LogClientOptions();

    @Option(names = "--json", description = "Prints one JSON object.")
    boolean json;

    private LogTopicsCommand(Streams streams) {
        this.streams = streams;
    }

    static CommandLine create(Streams streams) {
        return new CommandLine(new LogTopicsCommand(streams))
                .addSubcommand(new CreateCommand())
                .addSubcommand(new TopicDescribeCommand(streams))
                .addSubcommand(new TopicDeleteCommand());
    }

    @Override
    public Integer call() {
        Config loaded = client.load();
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                TopicClient topics = TopicClient.connect(rocketBufs, client.settings(loaded))) {
            List<TopicEntry> all = topics.topics();
            if (json) {
                streams.tell(Json.of(Map.of(
                        "topics", all.stream().map(LogTopicsCommand::fields).toList())));
            } else {
                all.forEach(topic -> streams.tell(topic.name() + " partitions=" + topic.partitions()
                        + (topic.isInMemory() ? " storage=memory capacity=" + topic.capacity() : "")
                        + (topic.isDamaged() ? " damaged; to see the reason: rocketlog topics describe TOPIC" : "")));
            }
        } catch (LogClientException e) {
            throw LogClientOptions.failure(e);
        }
        return ExitCode.DONE;
    }

    private static Map<String, Object> fields(TopicEntry topic) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", topic.name());
        fields.put("partitions", topic.partitions());
        fields.put("storage", topic.isInMemory() ? "memory" : "disk");
        if (topic.isInMemory()) {
            fields.put("capacity", topic.capacity());
        }
        fields.put("damaged", topic.isDamaged());
        return fields;
    }

    /** {@code rocketlog topics create}: creates a topic. */
    @Command(
            name = "create",
            description = "Creates a topic. Also succeeds if it exists with the same number of partitions and storage.",
            footer = {
                "",
                "Examples:",
                "  rocketlog topics create orders",
                "  rocketlog topics create prices --partitions 8",
                "  rocketlog topics create ticks --storage memory --capacity 256MiB"
            })
    static final class CreateCommand implements Callable<Integer> {
        @Mixin
        CommonOptions common = new CommonOptions();

        @Mixin
        LogClientOptions client = new LogClientOptions();

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
                description =
                        "disk (default), or memory: the broker keeps only the newest records, in memory, and loses"
                                + " them when it stops. It cannot be changed later.")
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
            try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                    TopicClient topics = TopicClient.connect(rocketBufs, client.settings(loaded))) {
                create(topics);
            } catch (LogClientException e) {
                throw LogClientOptions.failure(e);
            }
            return ExitCode.DONE;
        }

        private void create(TopicClient topics) {
            if (storage == TopicStorage.MEMORY) {
                topics.createInMemory(topic, partitions, capacity == null ? 0 : capacity);
            } else {
                topics.create(topic, partitions);
            }
        }
    }
}
