package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.rocketbufs.cli.Streams;
import io.rocketbufs.rbmq.RunningBroker;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The exit codes of commands that fail, each with the reason for the code. */
@Timeout(60)
final class ExitCodesTest {
    private static final String[] COMMANDS = {"pub t m", "sub t", "bench publisher --topic t --size 8"};

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    Path folder;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    @Test
    void shouldExitWith69WhenNoServerListens() throws IOException {
        int port = freePort();
        for (String command : COMMANDS) {
            assertEnds(69, "no listener at this address", command + " --broker 127.0.0.1:" + port);
        }
        assertEnds(69, "no broker answers at http://127.0.0.1:" + port, "stat --once --admin 127.0.0.1:" + port);
        assertEnds(69, "no broker answers at http://127.0.0.1:" + port, "topics --json --admin 127.0.0.1:" + port);
    }

    @Test
    void shouldExitWith69WhenTheHostIsUnknown() {
        assertEnds(69, "unknown host", "pub t m --broker no-such-host.invalid:7610");
    }

    @Test
    void shouldExitWith5WhenTheServerDoesNotAnswer() throws IOException {
        ServerSocket silent = opened(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        String broker = " --broker 127.0.0.1:" + silent.getLocalPort();
        for (String command : COMMANDS) {
            assertEnds(
                    5,
                    "no answer from an RBMQ broker within 50 ms",
                    command + broker + " --set rbmq.client.connect-timeout=50ms");
        }
    }

    @Test
    void shouldExitWith77WhenTheTokenIsWrong() {
        RunningBroker broker = opened(new RunningBroker("rbmq.credentials = [right]"));
        String to = " --broker 127.0.0.1:" + broker.address().getPort();
        for (String command : COMMANDS) {
            assertEnds(77, "the token is not valid", command + to + " --set rbmq.client.token=wrong");
            assertEnds(77, "a token is required", command + to);
        }
    }

    /** A broker answers requests from its own machine without a token, so this server stands in for a remote broker. */
    @ParameterizedTest
    @CsvSource({"401, 77", "403, 77", "500, 1"})
    void shouldExitWithTheCodeForTheAnswerOfTheAdminInterface(int status, int code) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        opened(() -> server.stop(0));
        String admin = " --admin 127.0.0.1:" + server.getAddress().getPort();
        assertEnds(code, String.valueOf(status), "stat --once" + admin);
        assertEnds(code, String.valueOf(status), "topics" + admin);
    }

    @Test
    void shouldExitWith77WhenTheTopicIsRefused() {
        RunningBroker broker = opened(new RunningBroker("rbmq.broker { capacity = 1000, max-capacity = 2000 }"));
        String to = " --broker 127.0.0.1:" + broker.address().getPort();
        assertEnds(77, "the broker refused topic \"t\": ", "pub t m --set rbmq.publisher.capacity=3000" + to);
    }

    @Test
    void shouldExitWith1WhenAFileCannotBeRead() {
        RunningBroker broker = opened(new RunningBroker());
        assertEnds(
                1,
                folder + ": cannot be read",
                "pub t --file " + folder + " --broker 127.0.0.1:"
                        + broker.address().getPort());
    }

    @Test
    void shouldExitWith3WhenTheConfigurationIsInvalid() throws IOException {
        Path file = Files.writeString(folder.resolve("broken.conf"), "rbmq.prt = 1");
        for (String command : List.of("broker", "pub t m", "sub t", "topics", "stat", "transports", "demo")) {
            assertEnds(3, "did you mean rbmq.port?", command + " --config " + file);
        }
    }

    @Test
    void shouldReportAllErrorsOfAConfigurationEachOnALine() throws IOException {
        Path file = Files.writeString(
                folder.resolve("broken.conf"),
                String.join(
                        "\n",
                        "rbqm.port = 1",
                        "rbmq { admin.port = 70000, credentials = hunter2, address = 10.0.0.1 }",
                        "rocketbufs.tcp.backlog = lots",
                        "rocketbufs.heartbeat-timeout = 0 s",
                        "rbmq.client.tokne = hunter2",
                        "rocketbufs.rdma.window = 1",
                        "akka.loglevel = off"));
        assertEnds(3, "", "broker --check-config --config " + file);
        assertThat(err.toString(UTF_8).lines())
                .extracting(line -> line.replaceFirst("^rbmq: .*/(broken.conf: [0-9]: [a-z.-]+): .*", "$1"))
                .containsExactly(
                        "broken.conf: 1: rbqm.port",
                        "broken.conf: 2: rbmq.admin.port",
                        "broken.conf: 2: rbmq.credentials",
                        "broken.conf: 3: rocketbufs.tcp.backlog",
                        "broken.conf: 4: rocketbufs.heartbeat-timeout",
                        "broken.conf: 5: rbmq.client.tokne",
                        "broken.conf: 6: rocketbufs.rdma.window");
        assertThat(err.toString(UTF_8)).doesNotContain("hunter2");
    }

    @Test
    void shouldNotAskAClientForTheCredentialsThatABrokerNeeds() {
        String exposed = " --set rbmq.address=0.0.0.0";
        RunningBroker broker = opened(new RunningBroker());
        String to = " --broker 127.0.0.1:" + broker.address().getPort();
        assertEnds(0, "", "pub t m" + to + exposed);
        assertEnds(0, "subscribed t", "sub t --timeout 10ms" + to + exposed);
        assertEnds(3, "set rbmq.credentials", "broker" + exposed);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private void assertEnds(int code, String reason, String command) {
        err.reset();
        try (PrintStream toOut = new PrintStream(out, true, UTF_8);
                PrintStream toErr = new PrintStream(err, true, UTF_8)) {
            int actual = Main.run(command.split(" "), new Streams("rbmq", InputStream.nullInputStream(), toOut, toErr));
            assertThat(actual).as(command + ": " + err.toString(UTF_8)).isEqualTo(code);
        }
        assertThat(err.toString(UTF_8)).as(command).contains(reason).doesNotContain("\tat ");
        assertThat(out.size()).as(command).isZero();
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }
}
