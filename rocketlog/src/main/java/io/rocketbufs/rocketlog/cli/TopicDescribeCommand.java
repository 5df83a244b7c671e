package io.rocketbufs.rocketlog.cli;

import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.protocol.LogTopicName;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketlog.protocol.TopicState;
import io.rocketbufs.text.PlainText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code rocketlog topics describe}, which prints the state of a topic. */
@Command(
        name = "describe",
        description =
                "Prints the state of a topic: how long it keeps records, the length of its segments, and which of these"
                        + " values the topic has of its own (set=); or the memory of each partition. Prints for each"
                        + " partition the offsets of its oldest, next and first non-durable record, its segments, its"
                        + " length in bytes, and any client that writes into its log directly.",
        footer = {"", "Examples:", "  rocketlog topics describe orders", "  rocketlog topics describe orders --json"})
final class TopicDescribeCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    LogClientOptions client = new LogClientOptions();

    @Parameters(paramLabel = "TOPIC", description = "Topic to describe.")
    String topic;

    @Option(names = "--json", description = "Prints one JSON object.")
    boolean json;

    TopicDescribeCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        client.withTopic(topic, topics -> {
            TopicState state = topics.state(topic);
            if (json) {
                streams.tell(Json.of(fields(state)));
            } else {
                tell(state);
            }
        });
        return ExitCode.DONE;
    }

    private void tell(TopicState state) {
        streams.tell(topic + " partitions=" + state.partitions().size()
                + (state.isInMemory() ? " storage=memory capacity=" + state.capacity() : options(state)));
        for (int i = 0; i < state.partitions().size(); i++) {
            TopicState.Partition partition = state.partitions().get(i);
            streams.tell(LogTopicName.partition(topic, i)
                    + " first_offset=" + partition.firstOffset()
                    + " next_offset=" + partition.nextOffset()
                    + " durable_offset=" + partition.durableOffset()
                    + " segments=" + partition.segments()
                    + " bytes=" + partition.length()
                    + (partition.leaseHolder().isEmpty()
                            ? " mode=private"
                            : " mode=exclusive holder=" + PlainText.of(partition.leaseHolder()))
                    + (partition.failure().isEmpty() ? "" : " failure=" + PlainText.quoted(partition.failure())));
        }
    }

    private static String options(TopicState state) {
        Long timeMs = limit(state.options().retentionMs());
        Long length = limit(state.options().retentionLength());
        List<String> own = state.ownOptions().names();
        return " retention_time=" + (timeMs == null ? "none" : timeMs + "ms")
                + " retention_length=" + (length == null ? "none" : length)
                + " segment_length=" + state.options().segmentLength()
                + (own.isEmpty() ? "" : " set=" + String.join(",", own));
    }

    /** Returns a retention limit for the output, or null if there is no limit. */
    private static Long limit(long value) {
        return value == LogTopicOptions.UNLIMITED ? null : value;
    }

    private Map<String, Object> fields(TopicState state) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", topic);
        fields.put("id", state.id());
        fields.put("storage", state.isInMemory() ? "memory" : "disk");
        if (state.isInMemory()) {
            fields.put("capacity", state.capacity());
        }
        fields.put("retentionMs", limit(state.options().retentionMs()));
        fields.put("retentionLength", limit(state.options().retentionLength()));
        if (!state.isInMemory()) {
            fields.put("segmentLength", state.options().segmentLength());
            fields.put("set", state.ownOptions().names());
        }
        fields.put(
                "partitions",
                IntStream.range(0, state.partitions().size())
                        .mapToObj(i -> fields(i, state.partitions().get(i)))
                        .toList());
        return fields;
    }

    private static Map<String, Object> fields(int number, TopicState.Partition partition) {
        boolean hasLease = !partition.leaseHolder().isEmpty();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("partition", number);
        fields.put("firstOffset", partition.firstOffset());
        fields.put("nextOffset", partition.nextOffset());
        fields.put("durableOffset", partition.durableOffset());
        fields.put("segments", partition.segments());
        fields.put("bytes", partition.length());
        fields.put("mode", hasLease ? "exclusive" : "private");
        fields.put("leaseHolder", hasLease ? partition.leaseHolder() : null);
        fields.put("failure", partition.failure().isEmpty() ? null : partition.failure());
        return fields;
    }
}
