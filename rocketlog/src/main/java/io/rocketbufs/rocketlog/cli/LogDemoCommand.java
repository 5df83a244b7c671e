package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ConfigOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Programs;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.cli.Units;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.broker.LogBrokerSettings;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.TopicClient;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The command {@code rocketlog demo}, which runs a broker, producers, and consumers. */
@Command(
        name = "demo",
        description = "Starts a broker in a separate process, two producers and two consumers, and checks every"
                + " record. Measures the throughput, and then the latency at 10,000 records per second. The log is in a"
                + " temporary directory, which is deleted.",
        footer = {"", "Examples:", "  rocketlog demo", "  rocketlog demo --duration 30s --set rocketbufs.transport=shm"
        })
final class LogDemoCommand implements Callable<Integer> {
    private static final LogLoad THROUGHPUT = LogLoad.endToEnd("throughput", 2, 0);
    private static final LogLoad LATENCY = LogLoad.endToEnd("latency", 1, 10_000);
    /**
     * Capacity of each partition of a topic in memory, in bytes. Producers are never this far ahead of consumers, so no
     * unread record is overwritten.
     */
    private static final long CAPACITY = 256 << 20;

    private static final Duration LONGEST_LATENCY_DURATION = Duration.ofSeconds(5);

    private final Streams streams;
    private final Programs processes;
    private final Programs threads;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = LogConfigurationOptions.forClients();

    @Option(
            names = "--duration",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = Units.DurationConverter.class,
            description = "Duration of the throughput measurement; ${DEFAULT-VALUE} by default. The latency measurement"
                    + " takes half as long, at most 5 s.")
    Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "2s",
            converter = Units.DurationConverter.class,
            description = "Warm-up time before each measurement; ${DEFAULT-VALUE} by default.")
    Duration warmup;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description = "private: the broker copies records from the producers' buffers; exclusive: each producer"
                    + " writes directly into the log of its own partition; shared: all producers write directly into"
                    + " the logs of all partitions. By default rocketlog.producer.mode.")
    ProduceMode mode;

    @Option(
            names = "--storage",
            paramLabel = "STORAGE",
            defaultValue = "disk",
            description = "Where the broker keeps the records: disk (default) or memory.")
    TopicStorage storage;

    @Option(names = "--json", description = "Prints one JSON object as the last line of the output.")
    boolean json;

    @Option(names = "--one-process", hidden = true, description = "Runs the broker on a thread of this process.")
    boolean oneProcess;

    /**
     * Creates the command.
     *
     * @param processes starts the broker as a separate process
     * @param threads starts the broker on a thread of this process
     */
    LogDemoCommand(Streams streams, Programs processes, Programs threads) {
        this.streams = streams;
        this.processes = processes;
        this.threads = threads;
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (duration.isZero()) {
            throw CommandFailure.usage("--duration: must be positive");
        }
        Config given = config.load(LogBrokerSettings::from, LogClientSettings::from, RocketBufs::check);
        Config loaded = LogConfigurationOptions.withOneTransport(given);
        Thread main = Thread.currentThread();
        Termination termination = Termination.stopsBy(main::interrupt);
        try (termination;
                LoadSide clients = LoadSide.open("demo-clients", loaded)) {
            return report(run(clients, settings(loaded), loaded.getString(LogConfigurationOptions.TRANSPORT)));
        } catch (LogClientException e) {
            throw LogClientOptions.failure(e);
        }
    }

    private LogClientSettings settings(Config loaded) {
        LogClientSettings settings = LogClientSettings.from(loaded);
        ProduceMode usedMode = mode == null ? settings.producer().mode() : mode;
        if (usedMode != ProduceMode.PRIVATE && storage == TopicStorage.MEMORY) {
            throw CommandFailure.usage(
                    "--storage memory: producers cannot write directly into topics in memory; use" + " --mode private");
        }
        if (mode != null && !mode.works(settings.producer().acks())) {
            throw CommandFailure.usage("--mode: " + LogClientSettings.ACKS_NEEDED);
        }
        return mode == null
                ? settings
                : settings.withProducer(settings.producer().withMode(mode));
    }

    private LogDemoReport run(LoadSide clients, LogClientSettings settings, String transport)
            throws InterruptedException, IOException {
        InetAddress host = clients.rocketBufs().localAddress(transport);
        if (!host.isLoopbackAddress()) {
            streams.say("other machines can reach the broker at " + host.getHostAddress() + " until the demo ends");
        }
        streams.say("starting a broker, two producers and two consumers over " + transport);
        Programs programs = oneProcess ? threads : processes;
        try (LoadBroker broker = LoadBroker.start(programs, config, transport, host)) {
            LogClientSettings own = settings.withBroker(broker.address());
            streams.say("measuring the throughput for " + seconds(duration));
            LoadResult throughput = measure(clients, own, broker, THROUGHPUT, duration);
            Duration half = duration.dividedBy(2);
            Duration shorter = half.compareTo(LONGEST_LATENCY_DURATION) > 0 ? LONGEST_LATENCY_DURATION : half;
            streams.say("measuring the latency for " + seconds(shorter));
            LoadResult latency = measure(clients, own, broker, LATENCY, shorter);
            return new LogDemoReport(
                    throughput, latency, transport, storage, settings.producer().acks());
        }
    }

    private static String seconds(Duration time) {
        return time.toMillis() / 1000.0 + " s";
    }

    private LoadResult measure(
            LoadSide side, LogClientSettings settings, LoadBroker broker, LogLoad load, Duration time)
            throws InterruptedException {
        try (TopicClient topics = TopicClient.connect(side.rocketBufs(), settings)) {
            if (storage == TopicStorage.MEMORY) {
                topics.createInMemory(load.topic(), load.partitions(), CAPACITY);
            } else {
                topics.create(load.topic(), load.partitions());
            }
        }
        try (LoadClients clients = LoadClients.start(load, settings, side, side, broker.failure())) {
            return clients.measure(broker, warmup, time);
        }
    }

    private int report(LogDemoReport report) {
        if (json) {
            streams.tell(Json.of(report.asMap()));
        } else {
            String command = System.getenv().getOrDefault("ROCKETBUFS_COMMAND", streams.program());
            report.asLines(command).forEach(streams::tell);
        }
        return report.isFaultless() && report.isInRequestedMode() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
