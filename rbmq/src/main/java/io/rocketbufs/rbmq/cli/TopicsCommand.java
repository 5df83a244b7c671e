package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The {@code rbmq topics} command, which lists a broker's topics with their rates, and the clients that are slow or
 * have waited.
 */
@Command(
        name = "topics",
        description = "Shows a broker's topics with their rates and slow subscribers.",
        footer = {"", "Examples:", "  rbmq topics", "  rbmq topics 'prices/#' --sort lag --json"})
final class TopicsCommand implements Callable<Integer> {
    /** The filter of the rule in the broker's configuration that applies to a topic. */
    private static final String RULE = "rule";

    private static final int NAME_WIDTH = 32;
    /** Maximum number of topics for which the broker lists publishers and subscribers. */
    private static final int MAX_DETAILED = 1000;

    private static final double SECOND_MS = 1e3;

    private final Streams streams;

    @Mixin
    ListOptions list = new ListOptions();

    @Parameters(
            arity = "0..1",
            paramLabel = "FILTER",
            description = "Topic, or filter with the wildcards + and #; by default all topics.")
    String filter;

    @Option(
            names = "--sort",
            paramLabel = "KEY",
            defaultValue = "NAME",
            description = "${COMPLETION-CANDIDATES}; by default name. All but name begin with the highest number.")
    Sort sort;

    @Option(names = "--once", description = "Has no effect; accepted so that scripts can call this command like stat.")
    boolean once;

    /** The sort keys of topics. */
    enum Sort {
        NAME,
        RATE,
        IN,
        OUT,
        LAG,
        LOST,
        DELAY,
        PUBLISHERS,
        SUBSCRIBERS;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    TopicsCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        list.check();
        check();
        AdminClient client = list.admin.client();
        String answer = ListOptions.withRates(
                () -> client.topics(filter, sort.toString(), list.limit, list.limit <= MAX_DETAILED));
        if (list.json) {
            streams.tell(answer);
        } else {
            show(Json.parse(answer));
        }
        return ExitCode.DONE;
    }

    private void check() {
        try {
            if (filter != null) {
                TopicFilter.of(filter);
            }
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage());
        }
    }

    private void show(Config answer) {
        List<? extends Config> topics = answer.getConfigList("topics");
        boolean hasRules = topics.stream().anyMatch(topic -> topic.hasPath(RULE));
        streams.tell(AdminTables.topicHeading(NAME_WIDTH) + (hasRules ? "  RULE" : ""));
        topics.forEach(this::showTopic);
        ListOptions.tellOfCut(streams, answer, "topics", "give a FILTER, or raise --limit");
    }

    private void showTopic(Config topic) {
        AdminRow row = new AdminRow(topic);
        String line = AdminTables.topic(row, NAME_WIDTH);
        streams.tell(row.has(RULE) ? line + "  " + row.text(RULE) : line);
        AdminTables.rows(topic, "groupDetails").forEach(this::showGroup);
        for (AdminRow publisher : AdminTables.rows(topic, "publisherDetails")) {
            if (publisher.number("waitedMs") > 0) {
                tell(publisher, "has waited %.1f s for subscribers", publisher.number("waitedMs") / SECOND_MS);
            }
        }
        AdminTables.rows(topic, "subscriberDetails").forEach(this::showIfSlow);
    }

    private void showGroup(AdminRow group) {
        long members = group.number("members");
        String line = "  group " + group.text("name") + " of " + group.text("filter") + ": " + members
                + (members == 1 ? " member" : " members");
        long waiting = group.number("waitingBytes");
        streams.tell(waiting == 0 ? line : line + String.format(Locale.ROOT, ", %,d bytes are waiting", waiting));
    }

    private void showIfSlow(AdminRow subscriber) {
        double delayed = subscriber.number("delayMs") / SECOND_MS;
        if (subscriber.number("slowForMs") > 0) {
            tell(
                    subscriber,
                    "has been delaying publishers since %s, %.1f s in total: %,d bytes are waiting, at worst %,d",
                    subscriber.text("since"),
                    delayed,
                    subscriber.number("lagBytes"),
                    subscriber.number("worstLagBytes"));
        } else if (delayed > 0) {
            tell(
                    subscriber,
                    "has delayed publishers by %.1f s; at worst, %,d bytes were waiting",
                    delayed,
                    subscriber.number("worstLagBytes"));
        }
        if (subscriber.number("lostBytes") > 0) {
            tell(subscriber, "is too slow: %,d bytes were skipped for it", subscriber.number("lostBytes"));
        }
    }

    private void tell(AdminRow client, String what, Object... values) {
        streams.tell("  " + client.text("name") + " at " + client.text("address") + " "
                + String.format(Locale.ROOT, what, values));
    }
}
