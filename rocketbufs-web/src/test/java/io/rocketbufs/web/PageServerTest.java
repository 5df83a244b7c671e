package io.rocketbufs.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("once")
@Timeout(600)
final class PageServerTest {
    private static final int PAGE_THREADS = 8;
    private static final InetSocketAddress ANY = new InetSocketAddress("127.0.0.1", 0);

    private final CountDownLatch released = new CountDownLatch(1);
    private final WorkerCheck workers = new WorkerCheck(this::awaitRelease);
    private final PageServer server = PageServer.open("pages", ANY, "a.port", null, this::page);

    @AfterEach
    void close() {
        released.countDown();
        server.close();
    }

    private CompletionStage<Page> page(PageRequest request) {
        return request.path().equals("/health")
                ? workers.page("ready")
                : CompletableFuture.completedFuture(text(request));
    }

    private Page text(PageRequest request) {
        return switch (request.path()) {
            case "/a b" -> Page.text(200, "spaced");
            case "/slow" -> awaitRelease();
            case "/broken" -> throw new IllegalStateException("on purpose");
            default -> Page.text(404, "path=" + request.path() + " authorization=" + request.authorization());
        };
    }

    private Page awaitRelease() {
        awaitRelease(0);
        return Page.text(200, "slow");
    }

    private List<String> awaitRelease(long timeoutMs) {
        try {
            released.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return List.of();
    }

    @Test
    void shouldServePagesByTheirDecodedPath() throws IOException {
        assertThat(lastAnswer("GET /a%20b?c=d HTTP/1.1"))
                .startsWith("HTTP/1.1 200 OK")
                .endsWith("\r\n\r\nspaced\n");
        assertThat(lastAnswer("GET http://host/x HTTP/1.1\r\nAuthorization: Bearer t"))
                .startsWith("HTTP/1.1 404 ")
                .endsWith("\r\n\r\npath=/x authorization=Bearer t\n");
    }

    @Test
    void shouldSendNoContentToHead() throws IOException {
        assertThat(lastAnswer("HEAD /a%20b HTTP/1.1"))
                .startsWith("HTTP/1.1 200 OK")
                .contains("\r\ncontent-length: 7\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void shouldRejectUnsupportedAndMalformedRequests() throws IOException {
        assertThat(lastAnswer("DELETE / HTTP/1.1"))
                .startsWith("HTTP/1.1 405 ")
                .contains("\r\nallow: GET, HEAD, POST\r\n");
        assertThat(lastAnswer("POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")).startsWith("HTTP/1.1 400 ");
        assertThat(lastAnswer("GET / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")).startsWith("HTTP/1.1 400 ");
        assertThat(lastAnswer("GET /% HTTP/1.1")).startsWith("HTTP/1.1 400 ");
        assertThat(lastAnswer("GET /" + "x".repeat(10_000) + " HTTP/1.1")).startsWith("HTTP/1.1 414 ");
    }

    @Test
    void shouldReportAPageThatFails() throws IOException {
        assertThat(lastAnswer("GET /broken HTTP/1.1")).startsWith("HTTP/1.1 500 ");
    }

    @Test
    void shouldServeOtherClientsWhileAPageIsSlowOrARequestIncomplete() throws IOException {
        try (Socket slow = connect();
                Socket incomplete = connect()) {
            send(slow, "GET /slow HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
            send(incomplete, "GET /a%20b");
            assertThat(lastAnswer("GET /a%20b HTTP/1.1")).endsWith("spaced\n");
            released.countDown();
            assertThat(all(slow)).endsWith("\r\n\r\nslow\n");
        }
    }

    @Test
    void shouldServeOtherPagesHoweverManyHealthChecksWaitForAWorker() throws IOException {
        List<Socket> checks = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * PAGE_THREADS; i++) {
                Socket check = connect();
                checks.add(check);
                send(check, "GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
            }
            assertThat(lastAnswer("GET /a%20b HTTP/1.1")).endsWith("spaced\n");
            released.countDown();
            for (Socket check : checks) {
                assertThat(all(check)).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nready\n");
            }
        } finally {
            for (Socket check : checks) {
                check.close();
            }
        }
    }

    @Test
    void shouldRespondToTheRequestsOfAConnectionInOrder() throws IOException {
        try (Socket socket = connect()) {
            send(
                    socket,
                    "GET /slow HTTP/1.1\r\nHost: h\r\n\r\nGET /broken HTTP/1.1\r\nHost: h\r\n\r\n"
                            + "GET /a%20b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
            released.countDown();
            assertThat(all(socket)).matches("(?s)HTTP/1.1 200 .*slow\nHTTP/1.1 500 .*HTTP/1.1 200 .*spaced\n");
        }
    }

    @Test
    void shouldNameTheAddressAndItsKeyWhenItIsInUse() {
        assertThatThrownBy(() -> PageServer.open("pages", server.address(), "a.port", null, this::page))
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.ADDRESS_IN_USE))
                .hasMessageContaining("127.0.0.1:" + server.address().getPort() + " (a.port)");
    }

    @Test
    void shouldCloseConnectionsWhenItCloses() throws IOException {
        try (Socket socket = connect()) {
            send(socket, "GET /a%20b HTTP/1.1\r\nHost: h\r\n\r\n");
            assertThat(socket.getInputStream().read()).isEqualTo('H');
            server.close();
            assertThat(all(socket)).endsWith("spaced\n");
        }
    }

    /** Sends a request that closes its connection, and returns the complete response. */
    private String lastAnswer(String request) throws IOException {
        try (Socket socket = connect()) {
            int end = request.indexOf("\r\n\r\n");
            String head = end < 0 ? request : request.substring(0, end);
            String content = end < 0 ? "" : request.substring(end + 4);
            send(socket, head + "\r\nHost: h\r\nConnection: close\r\n\r\n" + content);
            return all(socket);
        }
    }

    private Socket connect() throws IOException {
        return new Socket("127.0.0.1", server.address().getPort());
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(US_ASCII));
    }

    private static String all(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        return new String(in.readAllBytes(), US_ASCII);
    }
}
