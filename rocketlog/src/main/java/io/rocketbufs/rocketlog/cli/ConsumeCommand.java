package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.OutputWatch;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rocketlog.client.ConsumerOptions;
import io.rocketbufs.rocketlog.client.ConsumerStart;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogConsumer;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code rocketlog consume}, which writes the records of a topic to standard output. */
@Command(
        name = "consume",
        description = "Writes the records of a topic to standard output, and waits for new ones. The value of each"
                + " record is a line. From the moment when it prints `consuming TOPIC` to standard error, it sees every"
                + " record appended. After losing its connection, the command reconnects and continues after the last"
                + " record that it wrote.",
        footer = {
            "",
            "Examples:",
            "  rocketlog consume orders --until-end",
            "  rocketlog consume orders --partition 0 --from 1000 --count 10 --offsets",
            "  rocketlog consume orders --from @2026-11-27T08:00:00Z --json"
        })
final class ConsumeCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    LogClientOptions client = new LogClientOptions();

    @Parameters(paramLabel = "TOPIC", description = "Topic to read.")
    String topic;

    @Option(
            names = "--partition",
            paramLabel = "N",
            description = "Reads only this partition. By default, all partitions are read; the records of each are"
                    + " written in offset order.")
    Integer partition;

    @Option(
            names = "--from",
            paramLabel = "START",
            converter = StartConverter.class,
            completionCandidates = StartConverter.Names.class,
            description = "Where to begin in each partition: earliest (default), with the oldest record; latest, with"
                    + " the next record that is appended; an offset; or @TIME, with the first record that is not"
                    + " older. TIME is in the form 2026-11-27T08:00:00Z, without Z in the local time zone, or in"
                    + " milliseconds since 1970.")
    ConsumerStart from = ConsumerStart.EARLIEST;

    @Option(names = "--count", paramLabel = "N", description = "Ends after N records; exits with 1 if it ends earlier.")
    long count = Long.MAX_VALUE;

    @Option(
            names = "--until-end",
            description = "Ends after the last record that was in the log when the command started.")
    boolean untilEnd;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "Ends when no record arrives for this long.")
    Duration timeout;

    @Mixin
    RecordFormatOptions format = new RecordFormatOptions();

    ConsumeCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        checkArguments();
        Config loaded = client.load();
        LogClientSettings settings = client.settings(loaded);
        Consumption consumption = new Consumption(streams, new RecordOutput(streams.out(), format.format()), count);
        Termination termination = Termination.stopsBy(consumption::stopBySignal);
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                termination;
                LogConsumer consumer = LogConsumer.open(rocketBufs, settings, topic, options());
                OutputWatch watch = OutputWatch.start(() -> consumption.outputFailed(true))) {
            consumption.begin(consumer, topic, untilEnd);
            streams.err().println("consuming " + topic);
            consumption.run(timeout);
            watch.end();
            return consumption.conclude();
        } catch (LogClientException e) {
            throw LogClientOptions.failure(e);
        }
    }

    private void checkArguments() {
        format.check();
        if (count < 0) {
            throw CommandFailure.usage("--count " + count + ": must not be negative");
        }
        if (partition != null && partition < 0) {
            throw CommandFailure.usage("--partition " + partition + ": must not be negative");
        }
    }

    private ConsumerOptions options() {
        return partition == null ? ConsumerOptions.from(from) : ConsumerOptions.DEFAULTS.withPartition(partition, from);
    }
}
