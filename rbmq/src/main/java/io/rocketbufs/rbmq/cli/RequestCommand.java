package io.rocketbufs.rbmq.cli;

import com.typesafe.config.Config;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.cli.CommandFailure;
import io.rocketbufs.cli.CommonOptions;
import io.rocketbufs.cli.ExitCode;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.cli.Units;
import io.rocketbufs.rbmq.client.ClientOptions;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Headers;
import io.rocketbufs.rbmq.client.RbmqClient;
import io.rocketbufs.rbmq.client.Reply;
import io.rocketbufs.rbmq.client.RequestException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The {@code rbmq request} command, which sends a request and writes the reply to standard output. */
@Command(
        name = "request",
        description =
                "Sends a request to a topic, and writes the reply to standard output, followed by a newline unless it"
                        + " ends with one. Exits with 0 after a reply, 4 if there is no responder, 5 if there is no"
                        + " reply in time, and 1 if the responder reports an error.",
        footer = {
            "",
            "Examples:",
            "  rbmq request time",
            "  echo hello | rbmq request text/upper --timeout 1s -H language=en"
        })
final class RequestCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    CommonOptions common = new CommonOptions();

    @Mixin
    BrokerOptions broker = new BrokerOptions();

    @Parameters(index = "0", paramLabel = "TOPIC", description = "Topic of the request.")
    String topic;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "MESSAGE",
            description =
                    "The request. Without a message, the request is the whole standard input, or empty if that is a"
                            + " terminal. In a loop that reads standard input, use '' or </dev/null for an empty"
                            + " request. Put -- before a message that begins with -, unless it is a number.")
    String message;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "5s",
            converter = Units.DurationConverter.class,
            description = "Fails when no reply arrives within this time; ${DEFAULT-VALUE} by default.")
    Duration timeout;

    @Option(
            names = {"-H", "--header"},
            paramLabel = "KEY=VALUE",
            description = "Adds a header to the request; may be repeated. The value may contain further = signs.")
    List<String> headers = List.of();

    @Option(names = "--raw", description = "Writes only the bytes of the reply, and adds no newline.")
    boolean raw;

    RequestCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws IOException {
        Headers parsed = HeaderArguments.parse(headers);
        RequestArguments.check(topic, timeout);
        Config loaded = broker.config.load(ClientSettings::publisher, ClientSettings::subscriber, RocketBufs::check);
        byte[] request = request(ClientSettings.publisher(loaded).publisherCapacity());
        // Requests need flow control, even if it is disabled in the configuration. Once the command no longer waits for
        // a reply, the request is useless, so closing does not wait until the broker has consumed it.
        ClientOptions options = broker.client(loaded).withFlowControl(true).withDrainTimeout(Duration.ZERO);
        try (RbmqClient client = RbmqClient.connect(options)) {
            write(send(client, parsed, request));
        }
        return ExitCode.DONE;
    }

    /**
     * Returns the request. A request that is too long may be truncated, but the truncated request is still too long and
     * therefore rejected.
     */
    private byte[] request(long longest) throws IOException {
        if (message != null) {
            return message.getBytes(StandardCharsets.UTF_8);
        }
        return streams.inIsTerminal()
                ? new byte[0]
                : streams.in().readNBytes((int) Math.min(longest + 1, Integer.MAX_VALUE - 8));
    }

    private Reply send(RbmqClient client, Headers parsed, byte[] request) {
        try {
            return BrokerOptions.connect(() -> client.request(topic, parsed, request, timeout))
                    .join();
        } catch (IllegalArgumentException e) {
            throw CommandFailure.failed(e.getMessage());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RequestException failure
                    ? new CommandFailure(exitCode(failure.reason()), failure.getMessage())
                    : e;
        }
    }

    private static int exitCode(RequestException.Reason reason) {
        return switch (reason) {
            case NO_RESPONDERS -> ExitCode.NOTHING_THERE;
            case TIMEOUT -> ExitCode.TIMEOUT;
            case REFUSED -> ExitCode.REFUSED;
            case NOT_CONNECTED, CLOSED -> ExitCode.UNAVAILABLE;
            case FAILED, NO_SPACE -> ExitCode.FAILED;
        };
    }

    private void write(Reply reply) {
        streams.out().write(reply.bytes(), 0, reply.length());
        boolean isLine = reply.length() > 0 && reply.bytes()[reply.length() - 1] == '\n';
        if (!raw && !isLine) {
            streams.out().write('\n');
        }
        if (streams.out().checkError()) { // also flushes the output
            throw CommandFailure.failed("the reply cannot be written to standard output");
        }
    }
}
