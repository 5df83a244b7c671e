package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValue;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.StopRequest;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.json.Json;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rbmq stat}: the state of a broker. */
@Command(
        name = "stat",
        description = "Shows a broker's rates every second, until Ctrl-C.",
        footer = {"", "Examples:", "  rbmq stat", "  rbmq stat --once --json"})
final class StatCommand implements Callable<Integer> {
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int LINES_PER_HEADING = 20;
    private static final double MEGA = 1e6;
    private static final double SECOND_MS = 1000;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    AdminOptions admin = new AdminOptions();

    @Option(names = "--once", description = "Shows all values once and exits.")
    boolean once;

    @Option(names = "--json", description = "Prints one JSON object per line.")
    boolean json;

    StatCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        AdminClient client = admin.client();
        if (!once) {
            repeat(client);
        } else if (json) {
            streams.tell(client.state());
        } else {
            showAll(Json.parse(client.state()));
        }
        return ExitCode.DONE;
    }

    private void repeat(AdminClient client) throws InterruptedException {
        try (StopRequest stop = StopRequest.bySignal()) {
            Config last = null;
            for (int i = 0; !stop.isMade(); i++) {
                if (json) {
                    streams.tell(client.state());
                } else {
                    Config now = Json.parse(client.state());
                    showChange(last == null ? now : last, now, i % LINES_PER_HEADING == 0);
                    last = now;
                }
                if (streams.out().checkError()) {
                    return;
                }
                stop.await(PERIOD);
            }
        }
    }

    private void showChange(Config last, Config now, boolean withHeading) {
        if (withHeading) {
            streams.tell(String.format(
                    "%10s %11s %8s %12s %12s %8s %9s",
                    "publishers", "subscribers", "topics", "MB/s", "transfers/s", "refused", "malformed"));
        }
        double seconds = Math.max(1, now.getLong("uptimeMs") - last.getLong("uptimeMs")) / SECOND_MS;
        streams.tell(String.format(
                Locale.ROOT,
                "%10d %11d %8d %,12.3f %,12.0f %8d %9d",
                now.getLong("publisherCount"),
                now.getLong("subscriberCount"),
                now.getLong("topicCount"),
                (now.getLong("receivedLength") - last.getLong("receivedLength")) / MEGA / seconds,
                (now.getLong("transferCount") - last.getLong("transferCount")) / seconds,
                now.getLong("refusedCount"),
                now.getLong("malformedCount")));
    }

    private void showAll(Config state) {
        Map<String, ConfigValue> sorted = new TreeMap<>();
        state.entrySet().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        sorted.forEach((name, value) -> streams.tell(name + " " + value.unwrapped()));
    }
}
