package io.rocketbufs.rocketlog.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.cli.RecordedStreams;
import io.rocketbufs.json.Json;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of {@code stat} and {@code transports}. */
@Tag("once")
@Timeout(600)
final class LogStatCommandTest {
    @TempDir
    Path folder;

    private final RecordedStreams recorded = new RecordedStreams("rocketlog");

    private int run(String... arguments) {
        recorded.clear();
        return Main.run(arguments, recorded.withoutInput());
    }

    private static String admin(RunningLogBroker broker) {
        return HostPort.of(broker.broker().adminAddress());
    }

    @Test
    void shouldShowAllValuesOnce() {
        try (RunningLogBroker broker = new RunningLogBroker(folder).withTopic("orders", 3)) {
            assertThat(run("stat", "--once", "--admin", admin(broker)))
                    .as(recorded::err)
                    .isZero();
            assertThat(recorded.out()).contains("appendedBatches 0\n", "partitions 3\n", "ready true\n", "topics 1\n");
            assertThat(run("stat", "--once", "--json", "--admin", admin(broker)))
                    .isZero();
            Config state = Json.parse(recorded.out());
            assertThat(state.getInt("partitions")).isEqualTo(3);
        }
    }

    @Test
    void shouldShowALineEverySecondUntilASignal() throws Exception {
        try (RunningLogBroker broker = new RunningLogBroker(folder).withTopic("orders", 3);
                CommandProcess table = CommandProcess.start(folder, "stat", "--admin", admin(broker));
                CommandProcess objects = CommandProcess.start(folder, "stat", "--json", "--admin", admin(broker))) {
            await().until(() -> lines(table).size() > 2 && lines(objects).size() > 1);
            table.signal("INT");
            objects.signal("TERM");
            assertThat(table.exitCode()).as(table::err).isEqualTo(130);
            assertThat(objects.exitCode()).as(objects::err).isEqualTo(143);
            assertThat(lines(table).get(0)).matches(" *clients +producers +topics +partitions .*failed");
            assertThat(lines(table).get(2)).matches(" *\\d+ +0 +1 +3 +0\\.000 .* 0");
            assertThat(Json.parse(lines(objects).get(1)).getLong("uptimeMs"))
                    .isGreaterThan(Json.parse(lines(objects).get(0)).getLong("uptimeMs"));
        }
    }

    private static List<String> lines(CommandProcess command) {
        return new String(command.out(), StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void shouldRefuseAnAddressWithoutAPort() {
        assertThat(run("stat", "--admin", "localhost")).isEqualTo(2);
        assertThat(recorded.err()).contains("\"localhost\" is not HOST:PORT");
    }

    @Test
    void shouldNameTheBadKeyOfTheAdminInterface() {
        assertThat(run("stat", "--once", "--set", "rocketlog.admin.port=99999")).isEqualTo(3);
        assertThat(recorded.err()).contains("rocketlog.admin.port", "99999");
    }

    @Test
    void shouldFailIfNoBrokerAnswers() throws IOException {
        int port;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        assertThat(run("stat", "--once", "--set", "rocketlog.admin.port=" + port))
                .isEqualTo(69);
        assertThat(recorded.err()).contains("no broker answers at http://127.0.0.1:" + port + "/api/status");
    }

    @Test
    void shouldSayThatAnotherServerIsNoBroker() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answer = new Thread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write("HTTP/1.0 200 OK\r\n\r\n{\"topics\":1}".getBytes(US_ASCII));
                } catch (IOException e) {
                    // The command has failed, and the test checks its exit code.
                }
            });
            answer.start();
            assertThat(run("stat", "--once", "--admin", "127.0.0.1:" + server.getLocalPort()))
                    .isEqualTo(1);
            assertThat(recorded.err()).contains("is not the admin interface of a rocketlog broker");
            answer.join();
        }
    }

    @Test
    void shouldShowTheTransportsAndTheReasonsOfThoseThatAreNotAvailable() {
        assertThat(run("transports", "--set", "rocketbufs.rdma.library=libfabric-missing.so"))
                .as(recorded::err)
                .isZero();
        assertThat(recorded.out()).contains("\ntcp: available, ", "\nshm: ");
        assertThat(recorded.out().lines())
                .filteredOn(line -> line.startsWith("rdma: not available, "))
                .singleElement()
                .asString()
                .contains("libfabric-missing.so");
        assertThat(run("transports", "--json")).isZero();
        assertThat(recorded.out()).startsWith("{\"auto\":{\"first\":\"tcp\",");
    }
}
