package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rbmq topics}: a broker's topics with their publishers and subscribers. */
@Command(
        name = "topics",
        description = "Shows a broker's topics with their publishers and subscribers.",
        footer = {"", "Examples:", "  rbmq topics", "  rbmq topics --json --admin 127.0.0.1:7611"})
final class TopicsCommand implements Callable<Integer> {
    /** The filter of the rule in the broker's configuration that applies to a topic. */
    private static final String RULE = "rule";

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    AdminOptions admin = new AdminOptions();

    @Option(names = "--once", description = "Has no effect; accepted so that scripts can call this command like stat.")
    boolean once;

    @Option(names = "--json", description = "Prints one JSON object with all details.")
    boolean json;

    TopicsCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        AdminClient client = admin.client();
        if (json) {
            streams.tell(client.topics());
            return ExitCode.DONE;
        }
        List<? extends Config> topics = Json.parse(client.topics()).getConfigList("topics");
        String header = String.format("%-40s %10s %11s %16s", "TOPIC", "PUBLISHERS", "SUBSCRIBERS", "RECEIVED BYTES");
        boolean hasRules = topics.stream().anyMatch(topic -> topic.hasPath(RULE));
        streams.tell(hasRules ? header + "  RULE" : header);
        topics.forEach(this::show);
        return ExitCode.DONE;
    }

    private void show(Config topic) {
        String line = String.format(
                Locale.ROOT,
                "%-40s %10d %11d %,16d",
                topic.getString("name"),
                topic.getConfigList("publishers").size(),
                topic.getConfigList("subscribers").size(),
                topic.getLong("receivedLength"));
        streams.tell(topic.hasPath(RULE) ? line + "  " + topic.getString(RULE) : line);
        showGroups(topic.getConfigList("subscribers"));
        for (Config subscriber : topic.getConfigList("subscribers")) {
            if (subscriber.getLong("lostLength") > 0) {
                streams.tell(String.format(
                        Locale.ROOT,
                        "  %s at %s is too slow: %,d bytes were skipped for it",
                        subscriber.getString("name"),
                        subscriber.getString("peer"),
                        subscriber.getLong("lostLength")));
            }
        }
    }

    /** Shows the names of groups, with the number of their members. */
    private void showGroups(List<? extends Config> subscribers) {
        Map<String, Integer> members = new TreeMap<>();
        for (Config subscriber : subscribers) {
            if (subscriber.hasPath("group")) {
                members.merge(subscriber.getString("group"), 1, Integer::sum);
            }
        }
        members.forEach((group, count) ->
                streams.tell("  group " + group + ": " + count + (count == 1 ? " member" : " members")));
    }
}
