package io.rocketbufs.rbmq.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.cli.CommandFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client of the admin interface whose server sends more than any broker would. */
@Tag("once")
@Timeout(600)
final class AdminClientTest {
    private static final int LIMIT = 1 << 16;

    private final ServerSocket server;

    AdminClientTest() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    @Test
    void shouldAcceptAnAnswerOfTheLongestLength() {
        serve(LIMIT);
        assertThat(client().health(true)).hasSize(LIMIT);
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
        assertThatThrownBy(() -> client().status())
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("/api/status is longer than " + LIMIT + " bytes");
    }

    private AdminClient client() {
        return new AdminClient("127.0.0.1", server.getLocalPort(), "", null, LIMIT);
    }

    /** Answers one request with this many bytes, until the client disconnects. */
    private void serve(long length) {
        new Thread(() -> {
                    try (Socket socket = server.accept();
                            OutputStream out = socket.getOutputStream()) {
                        out.write("HTTP/1.0 200 OK\r\n\r\n".getBytes(US_ASCII));
                        for (long sent = 0; sent < length; sent++) {
                            out.write('x');
                        }
                    } catch (IOException e) {
                        // The client has read enough.
                    }
                })
                .start();
    }
}
