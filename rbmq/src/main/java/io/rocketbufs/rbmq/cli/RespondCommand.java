package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Termination;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Responder;
import io.rocketbufs.rbmq.protocol.TopicFilter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The {@code rbmq respond} command, which replies to requests with the output of a shell command. */
@Command(
        name = "respond",
        description =
                "Runs a shell command for each request, and replies with its standard output. The command receives the"
                        + " request on its standard input, the topic in RBMQ_TOPIC, and each header in"
                        + " RBMQ_HEADER_KEY, where KEY is the key in capital letters, with _ for all characters except"
                        + " letters and digits. The command does not inherit RBMQ_TOKEN. If it fails, the requester"
                        + " receives an error. Prints `responding to FILTER` to standard error when it is ready. After"
                        + " a lost connection, the command reconnects.",
        footer = {
            "",
            "Examples:",
            "  rbmq respond time --exec date",
            "  rbmq respond 'text/+' --exec ./convert.sh --parallel 4"
        })
final class RespondCommand implements Callable<Integer> {
    /** Maximum drain timeout, chosen so that the last replies are sent before a signal ends the process. */
    private static final long MAX_DRAIN_TIMEOUT_MS = 4000;

    private static final long MAX_REQUESTS_LENGTH = 64 << 20;

    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    BrokerOptions broker = new BrokerOptions();

    @Mixin
    ReconnectOptions reconnect = new ReconnectOptions();

    @Parameters(
            index = "0",
            paramLabel = "FILTER",
            description =
                    "Topic of the requests, or a filter: + stands for one level of a topic's name, and # as the last"
                            + " level for any number of levels.")
    String filter;

    @Option(
            names = "--exec",
            required = true,
            paramLabel = "COMMAND",
            description =
                    "Command that sh runs for each request. It is killed when the request expires. Requests of other"
                            + " clients may not expire: use timeout(1) to limit them. The command must not leave"
                            + " processes behind that keep its output open.")
    String command;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs at most N commands at a time; ${DEFAULT-VALUE} by default.")
    int parallel;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "Ends after N requests; further requests are ignored until it has ended.")
    long count = Long.MAX_VALUE;

    RespondCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        checkArguments();
        Config loaded = broker.config.load(ClientSettings::publisher, ClientSettings::subscriber, RocketBufs::check);
        ClientOptions options = reconnect.applyTo(broker.client(loaded));
        Duration drainTimeout = Duration.ofMillis(Math.min(options.publisher().drainTimeoutMs(), MAX_DRAIN_TIMEOUT_MS));
        ShellCommand shell =
                new ShellCommand(command, options.publisher().replies().capacity());
        RespondRun run = new RespondRun(streams, shell, parallel, count, MAX_REQUESTS_LENGTH);
        Termination termination = Termination.stopsBy(run::stop);
        try (termination;
                RbmqClient client = RbmqClient.connect(options.withCallback(run).withDrainTimeout(drainTimeout))) {
            ready(BrokerOptions.connect(() -> client.respond(filter, run)));
            streams.err().println("responding to " + filter);
            client.closed().whenComplete((nothing, lost) -> run.connectionEnded(lost));
            run.await();
        }
        return run.conclude();
    }

    private void checkArguments() {
        reconnect.check();
        if (parallel < 1) {
            throw CommandFailure.usage("--parallel " + parallel + ": must be positive");
        }
        if (count < 1) {
            throw CommandFailure.usage("--count " + count + ": must be positive");
        }
        try {
            TopicFilter.of(filter);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(e.getMessage());
        }
    }

    private static void ready(Responder responder) {
        try {
            responder.ready().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
