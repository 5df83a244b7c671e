package io.rocketbufs.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.text.HostPort;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of an admin interface whose server sends more data than any broker would. */
@Tag("once")
@Timeout(600)
final class AdminInterfaceTest {
    private static final int LIMIT = 1 << 16;

    private final ServerSocket server;

    AdminInterfaceTest() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void shouldAcceptAnAnswerOfTheLongestLength() {
        serve(LIMIT);
        assertThat(client().get("/health")).hasSize(LIMIT);
    }

    @Test
    void shouldFailWhenTheAnswerIsTooLong() {
        serve(LIMIT + 1);
        assertTooLong();
    }

    @Test
    void shouldFailWhenTheAnswerNeverEnds() {
        serve(Long.MAX_VALUE);
        assertTooLong();
    }

    private void assertTooLong() {
        assertThatThrownBy(() -> client().object("/api/status", "x"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("/api/status is longer than " + LIMIT + " bytes");
    }

    private AdminInterface client() {
        return new AdminInterface("a broker", new HostPort("127.0.0.1", server.getLocalPort()), LIMIT);
    }

    /** Answers one request with {@code length} bytes, or until the client disconnects. */
    private void serve(long length) {
        new Thread(() -> {
                    try (Socket socket = server.accept();
                            OutputStream out = socket.getOutputStream()) {
                        out.write("HTTP/1.0 200 OK\r\n\r\n".getBytes(US_ASCII));
                        for (long sent = 0; sent < length; sent++) {
                            out.write('x');
                        }
                    } catch (IOException e) {
                        // The client has disconnected.
                    }
                })
                .start();
    }
}
