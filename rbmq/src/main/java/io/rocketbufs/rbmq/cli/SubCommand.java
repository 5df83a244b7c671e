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
import io.rocketbufs.rbmq.client.MessageHandler;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.Subscription;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.time.Duration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/**
 * The {@code rbmq sub} command, which writes the messages of the topics that match the given filters to standard
 * output.
 */
@Command(
        name = "sub",
        description = "Writes each message of the topics to standard output, followed by a newline. Prints `subscribed"
                + " FILTER` to standard error when the subscription is live, after which it misses no messages."
                + " A message that matches several filters is written once for each of them. After a lost connection,"
                + " the command reconnects, and prints to standard error what it has missed.",
        footer = {
            "",
            "Examples:",
            "  rbmq sub -v --headers 'sensors/+/temperature' 'alarms/#'",
            "  rbmq sub --group workers jobs --json --count 10"
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

    @Mixin
    FormatOptions format = new FormatOptions();

    @Option(
            names = "--from",
            paramLabel = "START",
            converter = StartConverter.class,
            completionCandidates = StartNames.class,
            description = "Where to begin with each publisher that is connected: live (default), with the first message"
                    + " published from now on; last, with the last message that the broker keeps; oldest, with"
                    + " the oldest one. The broker keeps messages if rbmq.broker.keep or a rule in rbmq.topics is set,"
                    + " or if a publisher asks for it.")
    SubscriptionStart from = SubscriptionStart.LIVE;

    @Option(
            names = "--group",
            paramLabel = "G",
            description = "Shares the messages of each FILTER with all other subscribers of the same filter and group:"
                    + " each message goes to one of them, and to another one if this process ends before it has written"
                    + " the message. Not with --from last or oldest.")
    String group;

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
        format.check();
        if (verboseTopic && (format.raw || format.json)) {
            throw CommandFailure.usage(
                    "--verbose-topic and " + (format.raw ? "--raw" : "--json") + " are mutually exclusive");
        }
        if (new HashSet<>(filters).size() < filters.size()) {
            throw CommandFailure.usage("a filter is specified twice");
        }
        if (count < 0) {
            throw CommandFailure.usage("--count " + count + ": must not be negative");
        }
        try {
            options();
            checkOverlaps(filters.stream().map(TopicFilter::of).toList());
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage());
        }
    }

    private void checkOverlaps(List<TopicFilter> parsed) {
        for (int i = 1; i < parsed.size() && from != SubscriptionStart.LIVE; i++) {
            for (TopicFilter earlier : parsed.subList(0, i)) {
                if (earlier.overlaps(parsed.get(i))) {
                    throw CommandFailure.usage("a topic can match both " + earlier + " and " + parsed.get(i)
                            + ", which --from " + StartNames.nameOf(from)
                            + " does not allow; run a command for each");
                }
            }
        }
    }

    private void subscribe(Subscriber subscriber, SubscriberRun run, MessageOutput output) {
        Runnable ping = subscriber::ping;
        for (String filter : filters) {
            MessageHandler handler = message -> {
                if (run.takes() && output.add(message, ping) && isWritten(output, ping)) {
                    run.taken();
                } else if (group != null) {
                    message.giveBack();
                }
            };
            Subscription subscription = subscriber.subscribe(filter, handler, options());
            try {
                subscription.ready().join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RuntimeException cause ? cause : e;
            }
            streams.err().println("subscribed " + filter);
        }
    }

    /**
     * Waits until a message is written if the subscription belongs to a group. If this process is killed, the group
     * redelivers only messages whose handler has not returned.
     */
    private boolean isWritten(MessageOutput output, Runnable ping) {
        return group == null || output.awaitWritten(ping);
    }

    private SubscriptionOptions options() {
        SubscriptionOptions options = SubscriptionOptions.DEFAULTS.withStart(from);
        return group == null ? options : options.withGroup(group);
    }

    private MessageFormat format() {
        return format.format(verboseTopic ? new MessageFormat.TopicLine() : new MessageFormat.Line());
    }

    /** The possible values of the start option, for shell completion. */
    private static final class StartNames implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.of(SubscriptionStart.values()).map(StartNames::nameOf).iterator();
        }

        private static String nameOf(SubscriptionStart start) {
            return start.name().toLowerCase(Locale.ROOT);
        }
    }

    private static final class StartConverter implements ITypeConverter<SubscriptionStart> {
        @Override
        public SubscriptionStart convert(String text) {
            return Stream.of(SubscriptionStart.values())
                    .filter(start -> StartNames.nameOf(start).equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("\"" + text + "\" is not live, last or oldest"));
        }
    }
}
