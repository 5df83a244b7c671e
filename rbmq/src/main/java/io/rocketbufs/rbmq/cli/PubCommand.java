package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.LineSplitter;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rbmq.client.TopicOptions;
import io.rocketbufs.rbmq.client.TopicPublisher;
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
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** The {@code rbmq pub} command, which publishes messages and succeeds only if the broker has consumed all of them. */
@Command(
        name = "pub",
        description = "Publishes messages to a topic. Exits with 0 when the broker has consumed all of them. Messages"
                + " that are dropped because the topic has no subscribers (rbmq.publisher.when-unheard ="
                + " drop) count as consumed; their number is printed. After a lost connection, the command reconnects,"
                + " and resends the messages that the broker had not confirmed.",
        footer = {
            "",
            "Examples:",
            "  rbmq pub prices 12.50 12.75 -H currency=EUR -H content-type=text/plain",
            "  seq 1000 | rbmq pub prices --lines --rate 100",
        })
final class PubCommand implements Callable<Integer> {
    private static final Path STDIN = Path.of("-");
    private static final int STDIN_LENGTH = 64 * 1024;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    BrokerOptions broker = new BrokerOptions();

    @Mixin
    ReconnectOptions reconnect = new ReconnectOptions();

    @Parameters(index = "0", paramLabel = "TOPIC", description = "Topic to publish to.")
    String topic;

    @Parameters(
            index = "1..*",
            paramLabel = "MESSAGE",
            description =
                    "Messages to publish, one for each argument. Without a message, --lines or --file, publishes the"
                            + " whole standard input as one message, unless it is a terminal. Put -- before a message"
                            + " that begins with -, unless it is a number: -5 is a message.")
    List<String> messages = List.of();

    @Option(names = "--lines", description = "Publishes each line of standard input, without the trailing newline.")
    boolean lines;

    @Option(
            names = "--file",
            paramLabel = "FILE",
            description = "Publishes the whole file as one message; - is standard input.")
    Path file;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Publishes at most this many messages per second; by default as many as possible.")
    Integer rate;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "KEY=VALUE",
            description = "Adds a header to each message; may be repeated. The value may contain further = signs.")
    List<String> headers = List.of();

    @Option(
            names = "--keep",
            paramLabel = "last",
            converter = KeepConverter.class,
            description = "Asks the broker to keep the last message for subscribers that begin with it, even after this"
                    + " command has ended, until another message is published with this option.")
    // The default is null, because picocli would call the toString method of a default record, which generates code on
    // its first call.
    TopicOptions options;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "45s",
            converter = Units.DurationConverter.class,
            description = "Fails when the broker consumes nothing for this long; ${DEFAULT-VALUE} by default.")
    Duration timeout;

    PubCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() {
        checkSource();
        reconnect.check();
        if (rate != null && rate <= 0) {
            throw CommandFailure.usage("--rate " + rate + ": must be positive");
        }
        Headers parsed = HeaderArguments.parse(headers);
        Config loaded = broker.config.load(ClientSettings::publisher, RocketBufs::check);
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                Publisher publisher = BrokerOptions.connect(
                        () -> Publisher.connect(rocketBufs, settings(loaded), new ConnectionNotices(streams)))) {
            Publication publication =
                    new Publication(publisher, topic(publisher), parsed, streams, timeout, RateLimit.of(rate));
            if (publication.longestMessage() < 0) {
                throw CommandFailure.usage("-H: the headers have " + parsed.encodedLength()
                        + " bytes, more than rbmq.publisher.capacity allows");
            }
            Termination termination = Termination.endsBy(publication::finishAtSignal);
            try (termination) {
                publish(publication, publisher.closed());
                return publication.finish();
            }
        }
    }

    /** Checks that the messages have at most one source. Without a source, selects the file {@link #STDIN}. */
    private void checkSource() {
        int sources = (messages.isEmpty() ? 0 : 1) + (lines ? 1 : 0) + (file == null ? 0 : 1);
        if (sources > 1) {
            throw CommandFailure.usage("MESSAGE, --lines and --file are mutually exclusive");
        }
        if (sources == 0) {
            if (streams.inIsTerminal()) {
                throw CommandFailure.usage(
                        "nothing to publish: pass a MESSAGE, --lines or --file, or redirect standard" + " input");
            }
            file = STDIN;
        }
    }

    /**
     * Returns the settings with a drain timeout of 0, because the command waits for the broker before it closes the
     * publisher.
     */
    private ClientSettings settings(Config loaded) {
        return reconnect.applyTo(broker.publisher(loaded)).withDrainTimeout(0);
    }

    private TopicPublisher topic(Publisher publisher) {
        try {
            return publisher.topic(topic, options == null ? TopicOptions.DEFAULTS : options);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage());
        }
    }

    private void publish(Publication publication, CompletableFuture<Void> lost) {
        if (lines) {
            publishInput(() -> readLines(publication), publication, lost);
        } else if (file != null) {
            publishInput(() -> readFile(publication), publication, lost);
        } else {
            boolean goesOn = true;
            for (int i = 0; goesOn && i < messages.size(); i++) {
                byte[] bytes = messages.get(i).getBytes(StandardCharsets.UTF_8);
                goesOn = publication.publish(bytes, 0, bytes.length);
            }
        }
    }

    /**
     * Publishes the input on a separate thread, because a read cannot be interrupted, and because the connection may be
     * lost while no input arrives.
     */
    private static void publishInput(Runnable read, Publication publication, CompletableFuture<Void> lost) {
        CompletableFuture<Void> reading = new CompletableFuture<>();
        Thread reader = new Thread(
                () -> {
                    try {
                        read.run();
                        reading.complete(null);
                    } catch (Throwable e) {
                        reading.completeExceptionally(e);
                    }
                },
                "rbmq-input");
        reader.setDaemon(true);
        reader.start();
        CompletableFuture.anyOf(reading, lost)
                .handle((nothing, failure) -> null)
                .join();
        if (reading.isDone()) {
            reading.join();
        } else {
            publication.loseConnection();
        }
    }

    private void readLines(Publication publication) {
        try {
            new LineSplitter(streams.in(), STDIN_LENGTH, publication.longestMessage()).readAll(handler(publication));
            publication.publishAdded();
        } catch (IOException e) {
            publication.fail("standard input cannot be read: " + Reason.of(e));
        }
    }

    /** Returns a handler that publishes all available lines with a single call, unless the rate is limited. */
    private LineSplitter.LineHandler handler(Publication publication) {
        return rate != null
                ? publication::publish
                : new LineSplitter.LineHandler() {
                    @Override
                    public boolean onLine(byte[] bytes, int offset, int length) {
                        return publication.add(bytes, offset, length);
                    }

                    @Override
                    public void onPause() {
                        publication.publishAdded();
                    }
                };
    }

    private void readFile(Publication publication) {
        // Wrapped so that readNBytes only reads: the method of a file stream also seeks, which a pipe does not support.
        try (InputStream in =
                new FilterInputStream(file.equals(STDIN) ? streams.in() : Files.newInputStream(file)) {}) {
            // Reading one byte more than allowed detects a file that is too long, even if its length is unknown.
            byte[] whole = in.readNBytes(publication.longestMessage() + 1);
            publication.publish(whole, 0, whole.length);
        } catch (IOException e) {
            publication.fail((file.equals(STDIN) ? "standard input" : file) + ": cannot be read: " + Reason.of(e));
        }
    }

    /** A converter for the options that specify which messages the broker must keep. */
    private static final class KeepConverter implements ITypeConverter<TopicOptions> {
        @Override
        public TopicOptions convert(String text) {
            if (!text.equals("last")) {
                throw new TypeConversionException("\"" + text + "\" is not last");
            }
            return TopicOptions.DEFAULTS.withKeepLast(true);
        }
    }
}
