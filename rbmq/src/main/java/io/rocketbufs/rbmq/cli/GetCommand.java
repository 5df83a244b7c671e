package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Gap;
import io.rocketbufs.rbmq.client.Message;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rbmq.client.SubscriptionOptions;
import io.rocketbufs.rbmq.client.SubscriptionStart;
import java.time.Duration;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The {@code rbmq get} command, which writes the last message of a topic to standard output. */
@Command(
        name = "get",
        description =
                "Writes the last message of a topic to standard output, followed by a newline. The broker keeps the"
                        + " last messages of each publisher that is connected, if rbmq.broker.keep is set, and with"
                        + " keep = last or `rbmq pub --keep last` also those of publishers that have left. If several"
                        + " publishers have one, the message of the publisher that connected last is written. Exits"
                        + " with 4 if there is no message.",
        footer = {"", "Examples:", "  rbmq get prices/eur", "  rbmq get config/web --raw --timeout 1s"})
final class GetCommand implements Callable<Integer> {
    private static final SubscriptionOptions LAST = SubscriptionOptions.DEFAULTS.withStart(SubscriptionStart.LAST);

    private final Streams streams;
    /** The last message of each publisher, in the form in which it will be written. */
    private final TreeMap<Integer, byte[]> byPublisher = new TreeMap<>();

    private final Problems problems = new Problems();

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    BrokerOptions broker = new BrokerOptions();

    @Parameters(
            paramLabel = "TOPIC",
            description =
                    "The topic; it must not contain wildcards. `rbmq sub --from last` writes the last messages of all"
                            + " publishers, and of the topics that match a filter.")
    String topic;

    @Mixin
    FormatOptions format = new FormatOptions();

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = Units.DurationConverter.class,
            description =
                    "Fails when the broker has not sent the message within this time; ${DEFAULT-VALUE} by default.")
    Duration timeout;

    GetCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        format.check();
        RequestArguments.check(topic, timeout);
        Config loaded = broker.config.load(ClientSettings::subscriber, RocketBufs::check);
        ClientSettings configured = broker.subscriber(loaded);
        ClientSettings settings =
                configured.withReconnect(configured.reconnect().withEnabled(false));
        byte[] last;
        try (RocketBufs rocketBufs = RocketBufs.open(loaded);
                Subscriber subscriber = Subscriber.connect(rocketBufs, settings, problems)) {
            last = receive(subscriber);
        }
        if (problems.first != null) {
            streams.say(problems.first);
        }
        streams.out().write(last, 0, last.length);
        if (streams.out().checkError()) { // also flushes the output
            throw CommandFailure.failed("the message cannot be written to standard output");
        }
        return ExitCode.DONE;
    }

    private byte[] receive(Subscriber subscriber) throws InterruptedException {
        MessageFormat written = format.format(new MessageFormat.Line());
        try {
            subscriber
                    .subscribe(topic, message -> add(message, written), LAST)
                    .caughtUp()
                    .get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new CommandFailure(
                    ExitCode.TIMEOUT,
                    "topic " + topic + ": the broker has not sent the last message within " + timeout.toMillis()
                            + " ms");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e);
        }
        synchronized (byPublisher) {
            if (byPublisher.isEmpty() && problems.first != null) {
                throw CommandFailure.failed(problems.first);
            }
            if (byPublisher.isEmpty()) {
                throw new CommandFailure(
                        ExitCode.NOTHING_THERE,
                        "topic " + topic
                                + " has no last message: the broker keeps messages only if rbmq.broker.keep or a"
                                + " rule in rbmq.topics requires it, and those of publishers that have left only with"
                                + " keep = last, or if they were published with --keep last");
            }
            return byPublisher.lastEntry().getValue();
        }
    }

    /** A callback that records the first reason why a message may be missing. */
    private final class Problems implements SubscriberCallback {
        private volatile String first;

        @Override
        public void onError(String topicOfError, int publisher, Throwable error) {
            add("topic " + topicOfError + ": " + error.getMessage());
        }

        @Override
        public void onGap(Gap gap) {
            add("topic " + gap.topic() + ": the last message of publisher " + gap.publisher() + " was skipped");
        }

        private synchronized void add(String problem) {
            first = first == null ? problem : first;
        }
    }

    private void add(Message message, MessageFormat written) {
        byte[] bytes = new byte[written.lengthOf(message)];
        written.write(message, bytes, 0);
        synchronized (byPublisher) {
            byPublisher.put(message.publisher(), bytes);
        }
    }
}
