package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.rocketbufs.Listener;
import io.rocketbufs.Role;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.rbmq.LoggedLines;
import io.rocketbufs.rbmq.RawClient;
import io.rocketbufs.rbmq.RunningBroker;
import io.rocketbufs.rbmq.client.Subscriber;
import io.rocketbufs.rbmq.client.SubscriberCallback;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the exit codes of failing commands, and of the reasons that the commands report. */
@Tag("once")
@Timeout(600)
final class ExitCodesTest {
    private static final String[] COMMANDS = {
        "pub t m", "sub t", "request t m", "respond t --exec true", "bench publisher --topic t --size 8"
    };

    private final List<AutoCloseable> opened = new ArrayList<>();
    private final RecordedStreams recorded = new RecordedStreams("rbmq");

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
            assertEnds(69, "no listener on this address", command + " --broker 127.0.0.1:" + port);
        }
        assertEnds(69, "no broker answers at http://127.0.0.1:" + port, "stat --once --admin 127.0.0.1:" + port);
        assertEnds(69, "no broker answers at http://127.0.0.1:" + port, "topics --json --admin 127.0.0.1:" + port);
        assertEnds(69, "no broker answers at http://127.0.0.1:" + port, "health --admin 127.0.0.1:" + port);
    }

    @Test
    void shouldExitWith69WhenThereIsNoSocketOfABrokerInTheDirectory() {
        String shm = " --set rocketbufs.transport=shm --set rocketbufs.shm.directory=" + folder;
        for (String command : COMMANDS) {
            assertEnds(
                    69,
                    "there is no socket " + folder.resolve("7614.sock") + "; start the listener",
                    command + " --broker 127.0.0.1:7614" + shm);
        }
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

    @Test
    void shouldExitWith77WhenAUserLacksTheRight() throws IOException {
        RunningBroker broker = opened(new RunningBroker(
                "rbmq.users = [{name = feed, token = feed-token, publish = [\"a/#\"], subscribe = [\"a/#\"]}]",
                "rbmq.admin.address = 0.0.0.0"));
        String token = " --token-file " + Files.writeString(folder.resolve("token"), "feed-token\n");
        String to = token + " --broker 127.0.0.1:" + broker.address().getPort();
        String admin =
                token + " --admin 127.0.0.1:" + broker.broker().adminAddress().getPort();
        assertEnds(77, "user \"feed\" may publish to a/#, but not to topic \"t\"", "pub t m" + to);
        assertEnds(77, "user \"feed\" may subscribe to a/#, but not to topic \"t\"", "sub t" + to);
        assertEnds(77, "but not to every topic that matches \"#\"", "sub a/+ #" + to);
        assertEnds(77, "user \"feed\" may publish to a/#, but not to topic \"t\"", "request t m" + to);
        assertEnds(77, "but not to every topic that matches \"+/b\"", "respond +/b --exec true" + to);
        assertEnds(77, "user \"feed\" is not an administrator", "stat --once" + admin);
        assertEnds(77, "user \"feed\" is not an administrator", "topics" + admin);
        assertEnds(77, "may publish to a/#", "bench publisher --topic t --size 8 --duration 1s" + to);
        assertEnds(0, "", "pub a/b m" + to);
        assertThat(broker.broker().state().refusals()).containsEntry("admin", 2L);
    }

    @Test
    void shouldExitWith69WhenAUserHasReachedMaxConnections() throws IOException {
        RunningBroker broker = opened(new RunningBroker(
                "rbmq.users = [{name = u, token = x, publish = [t], subscribe = [t], max-connections = 1}]"));
        broker.publisher(broker.client().withToken("x"));
        String to = " --token-file " + Files.writeString(folder.resolve("token"), "x") + " --broker 127.0.0.1:"
                + broker.address().getPort();
        for (String command : COMMANDS) {
            assertEnds(69, "refused: user \"u\" has reached max-connections=1; try again", command + to);
        }
    }

    @Test
    void shouldExitWith69WhenTheBrokerIsClosing() {
        RunningBroker running = opened(new RunningBroker());
        Listener closing = opened(new Listener(running.another(), new InetSocketAddress("127.0.0.1", 0)));
        closing.setConnectionCallback(connection -> {
            throw new TransportException(TransportException.Code.RESOURCES, "the broker is closing");
        });
        String to = " --broker 127.0.0.1:" + closing.address().getPort();
        for (String command : COMMANDS) {
            assertEnds(69, "refused: the broker is closing", command + to);
        }
    }

    @Test
    void shouldPreferTheTokenFileOfTheCommandLine() throws IOException {
        RunningBroker broker = opened(new RunningBroker("rbmq.credentials = [right]"));
        Path file = Files.writeString(folder.resolve("token"), "right\n");
        Path config = Files.writeString(folder.resolve("client.conf"), "rbmq.client.token-file = /nonexistent");
        String to = " --broker 127.0.0.1:" + broker.address().getPort();
        assertEnds(0, "", "pub t m --token-file " + file + to + " --set rbmq.client.token=wrong");
        assertEnds(0, "", "pub t m --token-file " + file + to + " --config " + config);
        assertEnds(3, "--token-file: cannot read the token file /nonexistent", "sub t --token-file /nonexistent" + to);
    }

    /** A second read of the pipe would block forever. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "pub t m --set rbmq.client.token-file=PIPE",
                "pub t m --token-file PIPE",
                "sub t --timeout 10ms --set rbmq.client.token-file=PIPE",
                "request t m --set rbmq.client.token-file=PIPE"
            })
    void shouldReadATokenFromAPipe(String command) throws Exception {
        RunningBroker broker = opened(new RunningBroker("rbmq.credentials = [right]"));
        String to = " --broker 127.0.0.1:" + broker.address().getPort();
        assertEndsWithPipe(command.startsWith("request") ? 4 : 0, command + to);
    }

    @Test
    void shouldPassATokenFromAPipeToTheProgramsOfADemo() throws Exception {
        assertEndsWithPipe(
                0,
                "demo --one-process --warmup 10ms --duration 100ms --set rbmq.credentials=[right]"
                        + " --set rbmq.client.token-file=PIPE");
    }

    private void assertEndsWithPipe(int expected, String command) throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", "-m", "600", pipe.toString())
                        .start()
                        .waitFor())
                .isZero();
        Thread writer = new Thread(() -> write(pipe, "right\n"), "writer");
        writer.setDaemon(true);
        writer.start();
        CompletableFuture<Integer> code =
                inBackground(command.replace("PIPE", pipe.toString()), InputStream.nullInputStream());
        try {
            assertThat(code.get(60, TimeUnit.SECONDS)).as(recorded.err()).isEqualTo(expected);
        } finally {
            new RandomAccessFile(pipe.toFile(), "rw").close(); // releases a thread that is still waiting
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldWarnOnceOfATokenFileThatOthersCanRead() throws IOException {
        RunningBroker broker = opened(new RunningBroker("rbmq.credentials = [right]"));
        Path file = Files.writeString(folder.resolve("token"), "right");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        String to = " --broker 127.0.0.1:" + broker.address().getPort() + " --set rbmq.client.token-file=" + file;
        for (String command : List.of("pub t m", "request t m")) {
            try (LoggedLines logged = new LoggedLines()) {
                assertEnds(command.startsWith("pub") ? 0 : 4, "", command + to);
                assertThat(logged.with("WARN All users of this machine can read " + file + ", which contains a token"))
                        .hasSize(1);
            }
        }
    }

    /**
     * A broker responds to requests from its own machine even without a token, so this server simulates a remote
     * broker.
     */
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
        assertEnds(code, String.valueOf(status), "clients" + admin);
        assertEnds(code, String.valueOf(status), "health" + admin);
    }

    @Test
    void shouldExitWith1AndTheBrokersReasonWhenItIsNotReady() throws IOException {
        byte[] reason = "not ready: no answer from rocketbufs-tcp-0\n".getBytes(UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/health/ready", exchange -> {
            exchange.sendResponseHeaders(503, reason.length);
            exchange.getResponseBody().write(reason);
            exchange.close();
        });
        server.start();
        opened(() -> server.stop(0));
        String admin = "127.0.0.1:" + server.getAddress().getPort();
        assertEnds(
                1,
                "rbmq: http://" + admin + "/health/ready: 503 not ready: no answer from rocketbufs-tcp-0\n",
                "health --admin " + admin);
    }

    @ParameterizedTest
    @ValueSource(strings = {"<html>hunter2</html>", "{\"name\":\"hunter2\"}"})
    void shouldExitWith1WhenTheServerIsNotAnAdminInterface(String answer) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/status", exchange -> {
            exchange.sendResponseHeaders(200, answer.length());
            exchange.getResponseBody().write(answer.getBytes(UTF_8));
            exchange.close();
        });
        server.createContext("/api/topics", exchange -> {
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write('<');
            exchange.close();
        });
        server.start();
        opened(() -> server.stop(0));
        String address = "127.0.0.1:" + server.getAddress().getPort();
        for (String command : List.of("stat", "stat --once", "stat --once --json", "topics", "topics --json")) {
            assertEnds(
                    1,
                    "the server at " + address + " is not the admin interface of an RBMQ broker\n",
                    command + " --admin " + address);
        }
        assertThat(recorded.err()).doesNotContain("hunter2");
    }

    @Test
    void shouldExitWith69AndAReasonWhenTheHostOfTheAdminInterfaceIsUnknown() {
        assertEnds(69, "/api/status: unknown host\n", "stat --once --admin no-such-host.invalid:7611");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rbmq.address", "rbmq.admin.address"})
    void shouldExitWith69WhenTheMachineDoesNotHaveAnAddressOfTheBroker(String key) {
        assertEnds(
                69,
                "this machine has no such address",
                "broker --set " + key + "=192.0.2.1 --set rbmq.credentials=[x] --set rbmq.port=0");
    }

    @Test
    void shouldExitWith1WhenASubscriberOfABenchmarkReceivesAMalformedMessage() throws Exception {
        RunningBroker broker = opened(new RunningBroker());
        CompletableFuture<Integer> code =
                inBackground("bench subscriber --topic t", broker, InputStream.nullInputStream());
        await().until(() -> broker.broker().topics().stream()
                .anyMatch(topic -> !topic.subscribers().isEmpty()));
        RawClient hostile = new RawClient(broker, Role.PUBLISHER);
        hostile.createBuffer(1, 1000);
        hostile.announce(1, 1000, "t");
        hostile.deliver(1, (byte) 0x80, (byte) 0, (byte) 0, (byte) 0);
        assertThat(code.get(60, TimeUnit.SECONDS)).as(recorded.err()).isEqualTo(1);
    }

    @Test
    void shouldExitWith69WhenTheBrokerIsLostWhileAPublisherOfABenchmarkWaitsForIt() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        opened(release::countDown);
        RunningBroker broker = opened(new RunningBroker("rbmq.broker.capacity = 1000"));
        Subscriber stuck = Subscriber.connect(
                broker.another(), broker.client().withCapacities(1000, 1000), new SubscriberCallback() {});
        broker.opened(stuck)
                .subscribe("t", message -> awaitRelease(release))
                .ready()
                .get(60, TimeUnit.SECONDS);
        PipedOutputStream orders = opened(new PipedOutputStream());
        CompletableFuture<Integer> code = inBackground(
                "bench publisher --controlled --topic t --size 100 --set rbmq.publisher.capacity=1000",
                broker,
                new PipedInputStream(orders));
        // This is more than fits into the subscriber's buffer, so the broker cannot consume all of it.
        await().until(() -> broker.broker().topics().stream().anyMatch(topic -> topic.receivedLength() > 1000));
        orders.write("stop\n".getBytes(UTF_8));
        // This thread ends when publishing ends; from then on, the command waits for the broker.
        await().until(() -> !isRunning("rbmq-bench-publisher-0"));
        broker.loseBroker();
        assertThat(code.get(60, TimeUnit.SECONDS)).as(recorded.err()).isEqualTo(69);
        assertThat(recorded.err()).contains(" messages were not confirmed by the broker");
    }

    private static void awaitRelease(CountDownLatch release) {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<Integer> inBackground(String command, RunningBroker broker, InputStream in) {
        return inBackground(command + " --broker 127.0.0.1:" + broker.address().getPort(), in);
    }

    private CompletableFuture<Integer> inBackground(String command, InputStream in) {
        return CompletableFuture.supplyAsync(() -> Main.run(command.split(" "), recorded.withInput(in)));
    }

    private static boolean isRunning(String thread) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(each -> each.getName().equals(thread));
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
    void shouldWarnOfATokenInAFileThatOthersCanReadWhenItChecksAConfiguration() throws IOException {
        Path file = Files.writeString(folder.resolve("broker.conf"), "rbmq.credentials = [hunter2]");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        String[] command = {"broker", "--check-config", "--config", file.toString()};
        assertThat(Main.run(command, recorded.withoutInput())).isZero();
        assertThat(recorded.err())
                .startsWith("rbmq: All users of this machine can read " + file + ", which contains a token; run chmod")
                .doesNotContain("hunter2");
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
        assertThat(recorded.err().lines())
                .extracting(line -> line.replaceFirst("^rbmq: .*/(broken.conf: [0-9]: [a-z.-]+): .*", "$1"))
                .containsExactly(
                        "broken.conf: 1: rbqm.port",
                        "broken.conf: 2: rbmq.admin.port",
                        "broken.conf: 2: rbmq.credentials",
                        "broken.conf: 3: rocketbufs.tcp.backlog",
                        "broken.conf: 4: rocketbufs.heartbeat-timeout",
                        "broken.conf: 5: rbmq.client.tokne",
                        "broken.conf: 6: rocketbufs.rdma.window");
        assertThat(recorded.err()).doesNotContain("hunter2");
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
        recorded.clear();
        int actual = Main.run(command.split(" "), recorded.withoutInput());
        assertThat(actual).as(command + ": " + recorded.err()).isEqualTo(code);
        assertThat(recorded.err()).as(command).contains(reason).doesNotContain("\tat ");
        assertThat(recorded.out()).as(command).isEmpty();
    }

    private <T extends AutoCloseable> T opened(T resource) {
        opened.add(resource);
        return resource;
    }
}
