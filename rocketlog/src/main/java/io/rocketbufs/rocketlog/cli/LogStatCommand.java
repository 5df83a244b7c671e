package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.cli.AdminInterface;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.StatOptions;
import io.rocketbufs.cli.Streams;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The command {@code rocketlog stat}, which shows the state of a broker. */
@Command(
        name = "stat",
        description = "Shows the clients and rates of a broker every second until Ctrl-C: the batches that it appends,"
                + " the messages that it handles, and the segments that consumers read without it.",
        footer = {"", "Examples:", "  rocketlog stat", "  rocketlog stat --once --json"})
final class LogStatCommand implements Callable<Integer>, StatOptions.Table {
    private static final double MEGA = 1e6;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    LogAdminOptions admin = new LogAdminOptions();

    @Mixin
    StatOptions stat = new StatOptions();

    LogStatCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        AdminInterface broker = admin.client();
        if (stat.isOnce()) {
            stat.show(LogAdminOptions.status(broker), streams);
        } else {
            stat.repeat(() -> LogAdminOptions.status(broker), this, streams);
        }
        return ExitCode.DONE;
    }

    @Override
    public String heading() {
        return String.format(
                "%8s %9s %7s %10s %10s %10s %10s %9s %8s %6s %7s %6s",
                "clients",
                "producers",
                "topics",
                "partitions",
                "MB/s in",
                "batches/s",
                "messages/s",
                "segments",
                "waiting",
                "leases",
                "refused",
                "failed");
    }

    @Override
    public String line(Config last, Config now, double seconds) {
        return String.format(
                Locale.ROOT,
                "%8d %9d %7d %10d %,10.3f %,10.0f %,10.0f %9d %8d %6d %7d %6d",
                now.getLong("clients"),
                now.getLong("producers"),
                now.getLong("topics"),
                now.getLong("partitions"),
                StatOptions.change(last, now, "appendedBytes") / MEGA / seconds,
                StatOptions.change(last, now, "appendedBatches") / seconds,
                StatOptions.change(last, now, "requests") / seconds,
                now.getLong("openSegments"),
                now.getLong("waitingSegments"),
                now.getLong("leases"),
                now.getLong("refusedBatches"),
                now.getLong("failedTopics") + now.getLong("failedPartitions"));
    }
}
