package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.StatOptions;
import io.rocketbufs.cli.Streams;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The {@code rbmq stat} command, which shows the state of a broker. */
@Command(
        name = "stat",
        description = "Shows a broker's rates, in and out, every second until Ctrl-C.",
        footer = {"", "Examples:", "  rbmq stat", "  rbmq stat --once --json"})
final class StatCommand implements Callable<Integer>, StatOptions.Table {
    private static final double MEGA = 1e6;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    AdminOptions admin = new AdminOptions();

    @Mixin
    StatOptions stat = new StatOptions();

    StatCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        AdminClient client = admin.client();
        if (stat.isOnce()) {
            stat.show(ListOptions.withRates(client::status), streams);
        } else {
            stat.repeat(client::status, this, streams);
        }
        return ExitCode.DONE;
    }

    @Override
    public String heading() {
        return String.format(
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
                "refused");
    }

    @Override
    public String line(Config last, Config now, double seconds) {
        return String.format(
                Locale.ROOT,
                "%10d %11d %7d %,10.3f %,10.3f %,9.0f %,9.0f %9s %9s %5d %7d",
                now.getLong("publishers"),
                now.getLong("subscribers"),
                now.getLong("topics"),
                StatOptions.change(last, now, "receivedBytes") / MEGA / seconds,
                StatOptions.change(last, now, "sentBytes") / MEGA / seconds,
                StatOptions.change(last, now, "receivedTransfers") / seconds,
                StatOptions.change(last, now, "sentTransfers") / seconds,
                Amounts.bytes(now.getLong("lagBytes")),
                Amounts.bytes(lostBytes(now) - lostBytes(last)),
                now.getLong("slowSubscribers"),
                now.getLong("refusedConnections"));
    }

    private static long lostBytes(Config status) {
        return status.getConfig("lostBytes").entrySet().stream()
                .mapToLong(entry -> ((Number) entry.getValue().unwrapped()).longValue())
                .sum();
    }
}
