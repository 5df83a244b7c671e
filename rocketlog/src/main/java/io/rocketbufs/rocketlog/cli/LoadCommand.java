package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
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
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.rocketlog.client.TopicClient;
import io.rocketbufs.rocketlog.protocol.LogTopicOptions;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A subcommand of {@code rocketlog bench}, which performs one kind of measurement of a broker. */
@Command
final class LoadCommand implements Callable<Integer> {
    private static final int MOST_PARTITIONS = 256;
    private static final int MOST_CLIENTS = 256;
    /** Total length of the records that consumers read repeatedly, in bytes. */
    private static final long FILLED_BYTES = 128_000_000;

    /**
     * The limits for the space that each partition uses on a broker that this command has not started. Producers use at
     * most half of this space.
     */
    private static final LogTopicOptions BOUNDED = new LogTopicOptions(LogTopicOptions.UNLIMITED, 256 << 20, 64 << 20);

    private final LogLoad.Kind kind;
    private final Streams streams;
    private final Programs processes;
    private final Programs threads;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    ConfigOptions config = LogConfigurationOptions.forClients().withOthers(this::given);

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "256",
            converter = Units.LengthConverter.class,
            description = "Length of the value of a record in bytes, at least 16; ${DEFAULT-VALUE} by default.")
    int size;

    @Option(
            names = "--batch",
            paramLabel = "BYTES",
            converter = Units.LengthConverter.class,
            description =
                    "Length at which producers close a batch, at least 1 KiB; by default rocketlog.producer.batch.")
    Integer batch;

    @Option(
            names = "--partitions",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of partitions, at most 256; ${DEFAULT-VALUE} by default.")
    int partitions;

    @Option(
            names = "--producers",
            paramLabel = "N",
            description =
                    "Number of producers, at most 256; 1 by default. Each uses all partitions in turn; in the mode"
                            + " exclusive, a partition of its own.")
    Integer producers;

    @Option(names = "--consumers", paramLabel = "N", description = "Number of consumers, at most 256; 1 by default.")
    Integer consumers;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Records per second of each producer; unlimited by default.")
    Integer rate;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description = "private: the broker copies records from buffers of the producers; exclusive: each producer"
                    + " writes them into the log of a partition of its own; shared: all producers write them into the"
                    + " logs of all partitions. By default rocketlog.producer.mode.")
    ProduceMode mode;

    @Option(
            names = "--acks",
            paramLabel = "ACKS",
            description =
                    "leader: a record counts when the broker has appended it; none: when it has been handed to the"
                            + " transport. By default rocketlog.producer.acks.")
    Acks acks;

    @Option(
            names = "--warmup",
            paramLabel = "DURATION",
            defaultValue = "2s",
            converter = Units.DurationConverter.class,
            description = "How long the clients run before the measurement; ${DEFAULT-VALUE} by default.")
    Duration warmup;

    @Option(
            names = "--duration",
            required = true,
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "Duration of the measurement.")
    Duration duration;

    @Option(
            names = "--broker",
            paramLabel = "HOST:PORT",
            converter = Units.AddressConverter.class,
            description = "Measures this broker, in a topic that is deleted afterwards if rocketlog.deletable-topics"
                    + " permits it. Its processor time and calls are not reported. By default, a broker is started.")
    InetSocketAddress broker;

    @Option(names = "--json", description = "Prints one JSON object as the last line of the output.")
    boolean json;

    @Option(names = "--one-process", hidden = true, description = "Runs the broker on a thread of this process.")
    boolean oneProcess;

    /**
     * Creates the command.
     *
     * @param kind the kind of measurement
     * @param processes starts the broker as a separate process
     * @param threads starts the broker on a thread of this process
     */
    LoadCommand(LogLoad.Kind kind, Streams streams, Programs processes, Programs threads) {
        this.kind = kind;
        this.streams = streams;
        this.processes = processes;
        this.threads = threads;
    }

    /** Returns the settings that options override. They are checked together with all other settings. */
    private Config given() {
        Config given = ConfigFactory.empty();
        given = with(given, "--batch", "rocketlog.producer.batch", batch);
        given = with(given, "--mode", "rocketlog.producer.mode", lower(mode));
        return with(given, "--acks", "rocketlog.producer.acks", lower(acks));
    }

    private static Config with(Config config, String option, String key, Object value) {
        return value == null ? config : config.withValue(key, ConfigValueFactory.fromAnyRef(value, option));
    }

    private static String lower(Enum<?> value) {
        return value == null ? null : value.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        Config loaded = LogConfigurationOptions.withOneTransport(
                config.load(LogBrokerSettings::from, LogClientSettings::from, RocketBufs::check));
        LogClientSettings settings = LogClientSettings.from(loaded);
        LogLoad load = load(settings.producer().mode());
        Thread main = Thread.currentThread();
        Termination termination = Termination.stopsBy(main::interrupt);
        try (termination;
                LoadSide producing = LoadSide.open("bench-producers", loaded);
                LoadSide consuming = LoadSide.open("bench-consumers", loaded)) {
            String transport = loaded.getString(LogConfigurationOptions.TRANSPORT);
            LoadResult result = broker == null
                    ? measureOwn(load, settings, producing, consuming, transport)
                    : measureOther(load, settings.withBroker(broker), producing, consuming);
            return report(new LogBenchReport(result, transport, settings.producer()));
        } catch (LogClientException e) {
            throw LogClientOptions.failure(e);
        }
    }

    private LogLoad load(ProduceMode usedMode) {
        if (duration.isZero()) {
            throw CommandFailure.usage("--duration: must be positive");
        }
        if (size < LoadRecordLayout.SHORTEST) {
            throw CommandFailure.usage("--size " + size + ": must be at least " + LoadRecordLayout.SHORTEST);
        }
        requireNumber("--partitions", partitions, MOST_PARTITIONS);
        int producerCount = count("--producers", producers, kind.produces());
        int consumerCount = count("--consumers", consumers, kind.consumes());
        if (rate != null && !kind.produces()) {
            throw notUsed("--rate");
        }
        requireNumber("--rate", rate == null ? 1 : rate, Integer.MAX_VALUE);
        if (kind == LogLoad.Kind.ENDTOEND && consumerCount > partitions) {
            throw CommandFailure.usage("--consumers " + consumerCount + ": is more than --partitions " + partitions
                    + ", and each partition has one consumer");
        }
        if (usedMode == ProduceMode.EXCLUSIVE && producerCount > partitions) {
            throw CommandFailure.usage("--producers " + producerCount + ": is more than --partitions " + partitions
                    + ", and in the mode exclusive, each producer has a partition of its own");
        }
        long records = kind == LogLoad.Kind.CONSUME ? Math.max(partitions, FILLED_BYTES / size) : 0;
        String topic = "bench-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
        return new LogLoad(
                kind, topic, partitions, producerCount, consumerCount, size, rate == null ? 0 : rate, records);
    }

    private int count(String option, Integer number, boolean isUsed) {
        if (number == null) {
            return isUsed ? 1 : 0;
        }
        if (!isUsed) {
            throw notUsed(option);
        }
        requireNumber(option, number, MOST_CLIENTS);
        return number;
    }

    private CommandFailure notUsed(String option) {
        return CommandFailure.usage(option + ": does not apply to bench " + lower(kind));
    }

    private static void requireNumber(String option, int number, int most) {
        if (number < 1 || number > most) {
            throw CommandFailure.usage(option + " " + number + ": is not a number from 1 to " + most);
        }
    }

    private LoadResult measureOwn(
            LogLoad load, LogClientSettings settings, LoadSide producing, LoadSide consuming, String transport)
            throws InterruptedException, IOException {
        InetAddress host = producing.rocketBufs().localAddress(transport);
        if (!host.isLoopbackAddress()) {
            streams.say("other machines can reach the broker at " + host.getHostAddress() + " until the command ends");
        }
        streams.say("starting a broker over " + transport);
        try (LoadBroker own = LoadBroker.start(oneProcess ? threads : processes, config, transport, host)) {
            LogClientSettings toOwn = settings.withBroker(own.address());
            create(load, toOwn, producing, LogTopicOptions.NONE);
            return measure(load, toOwn, producing, consuming, own);
        }
    }

    private LoadResult measureOther(LogLoad load, LogClientSettings settings, LoadSide producing, LoadSide consuming)
            throws InterruptedException {
        create(load, settings, producing, BOUNDED);
        try {
            return measure(load, settings, producing, consuming, null);
        } finally {
            delete(load.topic(), settings, producing);
        }
    }

    private static void create(LogLoad load, LogClientSettings settings, LoadSide side, LogTopicOptions options) {
        try (TopicClient topics = TopicClient.connect(side.rocketBufs(), settings)) {
            topics.create(load.topic(), load.partitions(), options);
        }
    }

    private void delete(String topic, LogClientSettings settings, LoadSide side) {
        boolean isInterrupted = Thread.interrupted(); // otherwise, the deletion would fail immediately
        try (TopicClient topics = TopicClient.connect(side.rocketBufs(), settings)) {
            topics.delete(topic);
        } catch (LogClientException | TransportException e) {
            streams.say("topic " + topic + " remains: " + e.getMessage());
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private LoadResult measure(
            LogLoad load, LogClientSettings settings, LoadSide producing, LoadSide consuming, LoadBroker own)
            throws InterruptedException {
        CompletableFuture<Void> failure = own == null ? new CompletableFuture<>() : own.failure();
        if (load.records() > 0) {
            streams.say("appending " + load.records() + " records");
            try (LoadClients filling = LoadClients.start(load.filling(), settings, producing, consuming, failure)) {
                filling.awaitEnd();
            }
        }
        streams.say("measuring for " + duration.toMillis() / 1000.0 + " s, after a warm-up of "
                + warmup.toMillis() / 1000.0 + " s");
        try (LoadClients clients = LoadClients.start(load, settings, producing, consuming, failure)) {
            return clients.measure(own, warmup, duration);
        }
    }

    private int report(LogBenchReport report) {
        if (json) {
            streams.tell(Json.of(report.asMap()));
        } else {
            report.asLines().forEach(streams::tell);
        }
        return report.isFaultless() && report.isInRequestedMode() ? ExitCode.DONE : ExitCode.FAILED;
    }
}
