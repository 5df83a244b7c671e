package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import java.util.List;
import java.util.Locale;
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
        for (Config publisher : topic.getConfigList("publishers")) {
            if (number(publisher, "delayMs") > 0) {
                tell(publisher, "has waited %.1f s for subscribers", number(publisher, "delayMs") / 1e3);
            }
        }
        topic.getConfigList("subscribers").forEach(this::showIfSlow);
    }

    private void showIfSlow(Config subscriber) {
        double delayed = number(subscriber, "delayMs") / 1e3;
        if (number(subscriber, "currentDelayMs") > 0) {
            tell(
                    subscriber,
                    "is delaying publishers: %,d bytes are waiting, %.1f s of delay so far",
                    subscriber.getLong("pendingLength"),
                    delayed);
        } else if (delayed > 0) {
            tell(subscriber, "has delayed publishers by %.1f s", delayed);
        }
        if (subscriber.getLong("lostLength") > 0) {
            tell(subscriber, "is too slow: %,d bytes were skipped for it", subscriber.getLong("lostLength"));
        }
    }

    /** Returns a number; 0 when the broker's version does not state it. */
    private static long number(Config client, String name) {
        return client.hasPath(name) ? client.getLong(name) : 0;
    }

    private void tell(Config client, String what, Object... values) {
        streams.tell("  " + client.getString("name") + " at " + client.getString("peer") + " "
                + String.format(Locale.ROOT, what, values));
    }
}
