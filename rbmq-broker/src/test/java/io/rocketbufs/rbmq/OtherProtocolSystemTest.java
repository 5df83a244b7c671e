package io.rocketbufs.rbmq;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.RocketBufs;
import io.rocketbufs.rbmq.client.ClientSettings;
import io.rocketbufs.rbmq.client.Publisher;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests in which programs that use other protocols connect to the broker's port, and clients connect to the port of
 * another program.
 */
@Timeout(600)
final class OtherProtocolSystemTest {
    @Test
    void shouldNameTheProtocolOfAStrangerInOneLine() throws Exception {
        String[][] strangers = {
            {"GET / HTTP/1.1\r\nHost: broker\r\n\r\n", "HTTP"},
            {"OPTIONS * HTTP/1.1\r\n\r\n", "HTTP"},
            {"*1\r\n$4\r\nPING\r\n", "RESP (Redis)"},
            {"CONNECT {\"verbose\":false}\r\n", "NATS"},
            {"\u0010\u001a\u0000\u0004MQTT\u0004\u0002\u0000<\u0000\u000eclient-of-mqtt", "MQTT"},
            // The second record looks like a frame with a valid length.
            {"\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003", "TLS"},
            {"\u0016\u0003\u0001\u0001,\u0001\u0000\u0001(\u0003\u0003", "TLS"}
        };
        try (LoggedLines logged = new LoggedLines();
                RunningBroker running = new RunningBroker()) {
            int adminPort = running.broker().adminAddress().getPort();
            for (String[] stranger : strangers) {
                String hint = switch (stranger[1]) {
                    case "HTTP" -> "RBMQ's admin page is on port " + adminPort;
                    case "TLS" -> "this listener is without TLS; clients with TLS need a listener with transport = tls";
                    default -> "this port is for RBMQ clients";
                };
                try (Socket socket = new Socket(
                        running.address().getAddress(), running.address().getPort())) {
                    String address = "127.0.0.1:" + socket.getLocalPort();
                    socket.getOutputStream().write(stranger[0].getBytes(ISO_8859_1));
                    await().until(() -> !logged.with(address).isEmpty());
                    assertThat(logged.with(address))
                            .containsExactly(
                                    "WARN Connection closed: " + address + " speaks " + stranger[1] + "; " + hint);
                }
            }
            running.publisher().close();
        }
    }

    @Test
    void shouldLogAStrangerThatLeavesWithoutAWord() throws Exception {
        try (LoggedLines logged = new LoggedLines();
                RunningBroker running = new RunningBroker()) {
            new Socket(running.address().getAddress(), running.address().getPort()).close();
            await().until(() -> !logged.with("without a greeting").isEmpty());
            assertThat(logged.with("Connection closed")).hasSize(1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "HTTP/1.1 400 Bad Request, HTTP, speaks HTTP; it is not an RBMQ broker",
        "INFO {\"server\":1}, NATS, speaks NATS; it is not an RBMQ broker",
        "'', , closed the connection without a greeting; it may not speak the protocol of RocketBufs"
    })
    void shouldTellAClientThatTheServerIsNoBroker(String answer, String protocol, String message) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config())) {
            Thread answering = new Thread(() -> answer(server, answer));
            answering.start();
            ClientSettings settings = settings(server);
            assertThatThrownBy(() -> Publisher.connect(rocketBufs, settings))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.otherProtocol()).isEqualTo(protocol))
                    .hasMessage("127.0.0.1:" + server.getLocalPort() + " " + message);
            answering.join();
        }
    }

    @Test
    void shouldTellAClientThatTheServerIsSilent() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
                RocketBufs rocketBufs = RocketBufs.open(RunningBroker.config())) {
            ClientSettings settings = settings(silent, "rbmq.client.connect-timeout = 300 ms");
            // On a busy machine, connecting may take longer than the timeout, so the test retries.
            await().untilAsserted(() -> assertThatThrownBy(() -> Publisher.connect(rocketBufs, settings))
                    .isInstanceOf(TransportException.class)
                    .hasMessage("connect to 127.0.0.1:" + silent.getLocalPort()
                            + ": no answer from an RBMQ broker within 300 ms;"
                            + " another program may be using this address"));
        }
    }

    private static ClientSettings settings(ServerSocket server, String... settings) {
        return ClientSettings.from(RunningBroker.config(settings)).withBroker("127.0.0.1", server.getLocalPort());
    }

    /** Reads the start of the client's greeting, sends the given text, and closes the connection. */
    private static void answer(ServerSocket server, String text) {
        try (Socket socket = server.accept()) {
            socket.getInputStream().readNBytes(8);
            socket.getOutputStream().write(text.getBytes(ISO_8859_1));
            socket.shutdownOutput();
            // Reads until the client closes, because closing a socket with unread data would reset the connection.
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            // The client has closed the connection.
        }
    }
}
