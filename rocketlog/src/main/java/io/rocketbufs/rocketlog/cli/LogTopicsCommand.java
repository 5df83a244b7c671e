package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
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

/** The command {@code rocketlog topics}, which lists, describes, creates, and deletes the topics of a broker. */
@Command(
        name = "topics",
        description = "Lists the topics of a broker with their partition counts, or creates, describes or"
                + " deletes a topic.",
        footer = {
            "",
            "Examples:",
            "  rocketlog topics",
            "  rocketlog topics create orders --partitions 4 --set retention.time=12h",
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
                .addSubcommand(new TopicCreateCommand())
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
}
