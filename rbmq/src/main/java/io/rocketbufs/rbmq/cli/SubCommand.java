package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.OutputWatch;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code rbmq sub}: writes the messages of the topics that match filters to standard output. */
@Command(
        name = "sub",
        description =
                "Writes each message of the topics to standard output, followed by 0x0A. Prints `subscribed FILTER` to"
                        + " standard error when the subscription is live, after which it misses no messages. A message"
                        + " that matches several filters is written once for each of them. After a lost connection, the"
                        + " command connects again, and prints to standard error what it has missed.",
        footer = {
            "",
            "Examples:",
            "  rbmq sub prices news --json --count 10",
            "  rbmq sub -v --headers 'sensors/+/temperature' 'alarms/#'"
        })
final class SubCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    BrokerOptions broker = new BrokerOptions();

    @Mixin
    ReconnectOptions reconnect = new ReconnectOptions();

    @Parameters(
            arity = "1..*",
            paramLabel = "FILTER",
            description =
                    "Topics to subscribe to. In a filter, + stands for one level of a topic's name, and # as the last"
                            + " level for any number of levels. Quote a filter that contains #, because the shell may"
                            + " take # for a comment. Put -- before a filter that begins with -.")
    List<String> filters;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "Ends after N messages; exits with 1 if it ends earlier.")
    long count = Long.MAX_VALUE;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = Units.DurationConverter.class,
            description = "Ends when no message has arrived for this long.")
    Duration timeout;

    @Option(
            names = {"-v", "--verbose-topic"},
            description = "Writes the topic and a space before each message.")
    boolean verboseTopic;

    @Option(names = "--raw", description = "Writes only the bytes of the messages, without 0x0A.")
    boolean raw;

    @Option(
            names = "--headers",
            description =
                    "Writes the headers before each message: a line `KEY: VALUE` for each, and an empty line. A value"
                            + " that is not UTF-8, or has control characters, is written as `KEY:: BASE64`. A key that"
                            + " contains a colon, or begins with a quotation mark, is written as a JSON string.")
    boolean headers;

    @Option(
            names = "--json",
            description =
                    "Writes {\"topic\":…,\"headers\":{…},\"message\":…} on a line for each message; \"headers\" is"
                            + " absent if there are none. \"base64\" replaces \"message\", and {\"base64\":…}"
                            + " replaces the value of a header, if it is not UTF-8. A key that occurs more than once"
                            + " has an array of values.")
    boolean json;

    SubCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        checkArguments();
        Config loaded = broker.config.load(ClientSettings::subscriber, RocketBufs::check);
        SubscriberRun run = new SubscriberRun(streams, count);
        Termination termination = Termination.stopsBy(run::stop);
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                termination;
                MessageOutput output =
                        new MessageOutput(streams.out(), format(), () -> run.outputFailed(Streams.outHasReader()));
                Subscriber subscriber = BrokerOptions.connect(
                        () -> Subscriber.connect(rocketBufs, reconnect.applyTo(broker.subscriber(loaded)), run));
                OutputWatch watch = OutputWatch.start(() -> run.outputFailed(true))) {
            run.callAtEnd(() -> {
                watch.end();
                output.end();
            });
            subscriber.closed().whenComplete((nothing, lost) -> run.connectionEnded(lost));
            subscribe(subscriber, run, output);
            run.await(timeout);
        }
        return run.conclude();
    }

    private void checkArguments() {
        reconnect.check();
        if (raw && json) {
            throw CommandFailure.usage("--raw and --json are mutually exclusive");
        }
        if (raw && headers) {
            throw CommandFailure.usage("--raw and --headers are mutually exclusive");
        }
        if (verboseTopic && (raw || json)) {
            throw CommandFailure.usage("--verbose-topic and " + (raw ? "--raw" : "--json") + " are mutually exclusive");
        }
        if (new HashSet<>(filters).size() < filters.size()) {
            throw CommandFailure.usage("a filter is specified twice");
        }
        if (count < 0) {
            throw CommandFailure.usage("--count " + count + ": must not be negative");
        }
        try {
            filters.forEach(TopicFilter::of);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage());
        }
    }

    private void subscribe(Subscriber subscriber, SubscriberRun run, MessageOutput output) {
        Runnable ping = subscriber::ping;
        for (String filter : filters) {
            Subscription subscription = subscriber.subscribe(filter, message -> {
                if (run.takes() && output.add(message, ping)) {
                    run.taken();
                }
            });
            try {
                subscription.ready().join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : e;
            }
            streams.err().println("subscribed " + filter);
        }
    }

    private MessageFormat format() {
        if (json) {
            return new MessageFormat.JsonLine();
        }
        MessageFormat line = verboseTopic ? new MessageFormat.TopicLine() : new MessageFormat.Line();
        if (headers) {
            return new MessageFormat.WithHeaders(line);
        }
        return raw ? new MessageFormat.Raw() : line;
    }
}
