package io.rocketbufs.rocketlog.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.LineSplitter;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rocketlog.client.LogClientException;
import io.rocketbufs.rocketlog.client.LogClientSettings;
import io.rocketbufs.rocketlog.client.LogClientSettings.Acks;
import io.rocketbufs.rocketlog.client.LogClientSettings.ProduceMode;
import io.rocketbufs.text.Reason;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code rocketlog produce}, which appends records, and succeeds only if the broker acknowledges all of
 * them.
 */
@Command(
        name = "produce",
        description = "Appends records to a topic: each argument, each line of standard input without its newline, or"
                + " each line of a file. Empty lines count as records. Exits with 0 when the broker has acknowledged"
                + " all of them. After losing its connection, the command reconnects and resends the records that"
                + " the broker had not acknowledged; none is appended twice.",
        footer = {
            "",
            "Examples:",
            "  rocketlog produce orders 'first' 'second'",
            "  seq 1000000 | rocketlog produce orders --partition 0",
            "  rocketlog produce orders --key-separator , <orders.csv"
        })
final class ProduceCommand implements Callable<Integer> {
    private static final String STDIN = "-";
    private static final int INPUT_LENGTH = 64 * 1024;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    LogClientOptions client = new LogClientOptions();

    @Parameters(index = "0", paramLabel = "TOPIC", description = "Topic to append to.")
    String topic;

    @Parameters(
            index = "1..*",
            paramLabel = "RECORD",
            description = "Records to append, instead of lines of input. Put -- before a record that begins with -,"
                    + " unless it is a number.")
    List<String> records = List.of();

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description =
                    "Appends each line of the file with its newline. If all lines go to one partition, consume --raw"
                            + " restores the bytes of the file. The file - is standard input.")
    Path file;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "Splits each record at the first occurrence of this text into a key and a value. By default,"
                    + " records have no key.")
    String keySeparator;

    @Option(
            names = "--partition",
            paramLabel = "N",
            description = "Appends to this partition. By default, equal keys go to the same partition, and records"
                    + " without a key to each partition in turn.")
    int partition = -1;

    @Option(
            names = "--acks",
            paramLabel = "ACKS",
            description =
                    "leader: a record counts as sent when the broker has appended it; none: when it has been handed to"
                            + " the transport. By default rocketlog.producer.acks.")
    Acks acks;

    @Option(
            names = "--mode",
            paramLabel = "MODE",
            description = "private: the broker copies records from this producer's buffer; exclusive: the producer"
                    + " writes directly into the memory of the log, while no other producer uses the partition;"
                    + " shared: several producers write into it. By default rocketlog.producer.mode.")
    ProduceMode mode;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "Fails when a record is not acknowledged within this time. By default"
                    + " rocketlog.producer.timeout.")
    Duration timeout;

    ProduceCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        checkOptions();
        Config loaded = client.load();
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                Production production =
                        Production.open(rocketBufs, settings(loaded), topic, partition, keyBytes(), streams)) {
            Termination termination = Termination.endsBy(production::finishAtSignal);
            try (termination) {
                produce(production);
                return production.finish();
            }
        } catch (LogClientException e) {
            throw LogClientOptions.failure(e);
        }
    }

    private void checkOptions() {
        if (!records.isEmpty() && file != null) {
            throw CommandFailure.usage("RECORD and --file are mutually exclusive");
        }
        if (keySeparator != null && keySeparator.isEmpty()) {
            throw CommandFailure.usage("--key-separator: must not be empty");
        }
        if (records.isEmpty() && file == null) {
            if (streams.inIsTerminal()) {
                throw CommandFailure.usage(
                        "nothing to append: pass a RECORD or --file, or redirect standard input; --file - reads from"
                                + " the terminal");
            }
        }
    }

    private byte[] keyBytes() {
        return keySeparator == null ? null : keySeparator.getBytes(StandardCharsets.UTF_8);
    }

    private LogClientSettings settings(Config loaded) {
        LogClientSettings settings = client.settings(loaded);
        LogClientSettings.Producer producer = settings.producer();
        Acks usedAcks = acks == null ? producer.acks() : acks;
        ProduceMode usedMode = mode == null ? producer.mode() : mode;
        if (!usedMode.works(usedAcks)) {
            throw CommandFailure.usage("--mode: " + LogClientSettings.ACKS_NEEDED);
        }
        producer = producer.with(usedAcks, usedMode);
        if (timeout != null) {
            long timeoutMs = timeout.toMillis();
            if (timeoutMs <= producer.lingerMs()) {
                throw CommandFailure.usage(
                        "--timeout: must be longer than rocketlog.producer.linger=" + producer.lingerMs() + " ms");
            }
            producer = producer.withTimeout(timeoutMs);
        }
        return settings.withProducer(producer);
    }

    private void produce(Production production) {
        if (records.isEmpty()) {
            produceLines(production);
            return;
        }
        boolean goesOn = true;
        for (int i = 0; goesOn && i < records.size(); i++) {
            byte[] bytes = records.get(i).getBytes(StandardCharsets.UTF_8);
            goesOn = production.append(bytes, 0, bytes.length);
        }
    }

    /**
     * Reads and appends lines. Reading takes place on a separate thread, because a read cannot be interrupted if the
     * producer fails in the meantime.
     */
    private void produceLines(Production production) {
        CompletableFuture<Void> reading = new CompletableFuture<>();
        Thread reader = new Thread(
                () -> {
                    try {
                        readLines(production);
                        reading.complete(null);
                    } catch (Throwable e) {
                        reading.completeExceptionally(e);
                    }
                },
                "rocketlog-input");
        reader.setDaemon(true);
        reader.start();
        CompletableFuture.anyOf(reading, production.failed())
                .handle((nothing, failure) -> null)
                .join();
        if (reading.isDone()) {
            reading.join();
        }
    }

    private void readLines(Production production) {
        boolean isStdin = file == null || file.toString().equals(STDIN);
        // The filter hides methods of the file's stream that seek, because a pipe does not support seeking.
        try (InputStream in = new FilterInputStream(isStdin ? streams.in() : Files.newInputStream(file)) {}) {
            LineSplitter lines = new LineSplitter(in, INPUT_LENGTH, production.longestLine());
            (file == null ? lines : lines.keepingEnds()).readAll(production::append);
        } catch (IOException e) {
            production.fail("cannot read " + (isStdin ? "standard input" : file) + ": " + Reason.of(e));
        }
    }
}
