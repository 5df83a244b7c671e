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
        description = "Shows a broker's rates, in and out, every second until Ctrl-C.",
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
            streams.tell(ListOptions.withRates(client::status));
        } else {
            showAll(Json.parse(ListOptions.withRates(client::status)));
        }
        return ExitCode.DONE;
    }

    private void repeat(AdminClient client) throws InterruptedException {
        try (StopRequest stop = StopRequest.bySignal()) {
            Config last = null;
            for (int i = 0; !stop.isMade(); i++) {
                if (json) {
                    streams.tell(client.status());
                } else {
                    Config now = Json.parse(client.status());
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
                    "%10s %11s %7s %10s %10s %9s %9s %9s %9s %5s %7s",
                    "publishers",
                    "subscribers",
                    "topics",
                    "MB/s in",
                    "MB/s out",
                    "in/s",
                    "out/s",
                    "lag",
                    "lost",
                    "slow",
                    "refused"));
        }
        double seconds = Math.max(1, now.getLong("uptimeMs") - last.getLong("uptimeMs")) / SECOND_MS;
        streams.tell(String.format(
                Locale.ROOT,
                "%10d %11d %7d %,10.3f %,10.3f %,9.0f %,9.0f %9s %9s %5d %7d",
                now.getLong("publishers"),
                now.getLong("subscribers"),
                now.getLong("topics"),
                change(last, now, "receivedBytes") / MEGA / seconds,
                change(last, now, "sentBytes") / MEGA / seconds,
                change(last, now, "receivedTransfers") / seconds,
                change(last, now, "sentTransfers") / seconds,
                Amounts.bytes(now.getLong("lagBytes")),
                Amounts.bytes(lostBytes(now) - lostBytes(last)),
                now.getLong("slowSubscribers"),
                now.getLong("refusedConnections")));
    }

    private static long change(Config last, Config now, String name) {
        return now.getLong(name) - last.getLong(name);
    }

    private static long lostBytes(Config status) {
        return status.getConfig("lostBytes").entrySet().stream()
                .mapToLong(entry -> ((Number) entry.getValue().unwrapped()).longValue())
                .sum();
    }

    private void showAll(Config state) {
        Map<String, ConfigValue> sorted = new TreeMap<>();
        state.entrySet().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
        sorted.forEach(
                (name, value) -> streams.tell(name + " " + TerminalText.escape(String.valueOf(value.unwrapped()))));
    }
}
