package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.chunk;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the limits on connections and streams, with clients that use as many resources as they can. */
@Tag("once")
final class LimitsSystemTest {
    @Test
    void shouldRefuseViewersBeyondTheLimitAndKeepServingTheOthers() throws IOException {
        try (Running running = new Running("tcp", "livestream.edge.max-connections = 2")) {
            Edge edge = running.edge();
            HttpSocket first = running.opened(new HttpSocket(edge.address()));
            HttpSocket second = running.opened(new HttpSocket(edge.address()));
            assertThat(first.get("/health/live").answer()).isEqualTo("200 live");
            assertThat(second.get("/health/live").answer()).isEqualTo("200 live");
            HttpSocket third = running.opened(new HttpSocket(edge.address()));
            assertThat(third.get("/health/live").answer()).startsWith("503 ").contains("too many connections");
            assertThat(third.isClosed()).isTrue();
            assertThat(first.get("/metrics").answer())
                    .contains("livestream_refusals_total 1.0", "livestream_viewers 2.0");
            second.close();
            AwaitConnected.until(() -> edge.viewerCount() == 1);
            HttpSocket next = running.opened(new HttpSocket(edge.address()));
            assertThat(next.get("/health/live").answer()).isEqualTo("200 live");
            assertThat(first.get("/health/live").answer()).isEqualTo("200 live");
        }
    }

    @Test
    void shouldKeepServingAViewerWhileManyMoreConnect() throws IOException {
        try (Running running = new Running("tcp", "livestream.edge.max-connections = 1")) {
            Edge edge = running.edge();
            HttpSocket viewer = running.opened(new HttpSocket(edge.address()));
            assertThat(viewer.get("/health/live").answer()).isEqualTo("200 live");
            List<Socket> silent = new ArrayList<>();
            for (int i = 0; i < 300; i++) {
                // These connections send nothing, not even a TLS ClientHello.
                silent.add(running.opened(new Socket("127.0.0.1", edge.address().getPort())));
            }
            AwaitConnected.until(() -> viewer.get("/metrics").answer().contains("livestream_refusals_total 300.0"));
            assertThat(viewer.get("/health/live").answer()).isEqualTo("200 live");
            // Only the few connections that would receive an error response to a request may remain open.
            int open = 0;
            for (Socket socket : silent) {
                socket.setSoTimeout(20);
                open += isOpen(socket) ? 1 : 0;
            }
            assertThat(open).isLessThanOrEqualTo(64);
        }
    }

    private static boolean isOpen(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() >= 0;
        } catch (java.net.SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void shouldRefuseSourcesBeyondTheLimitAndKeepServingTheOthers() throws IOException {
        String settings = "livestream.ingest { max-connections = 1, raw = [{port = 0, stream = raw}] }";
        try (Running running = new Running("tcp", settings)) {
            byte[] chunk = chunk(1, 1);
            RawSource first = running.opened(new RawSource(running.ingest()));
            first.begin("PUT", "/ingest/cam/i0.ts").piece(chunk, 0, 188 * 100);
            AwaitConnected.until(() -> running.relay().isWriting("cam"));
            RawSource second = running.opened(new RawSource(running.ingest()));
            second.begin("PUT", "/ingest/other/i0.ts");
            assertThat(second.answer()).startsWith("503 ");
            assertThat(running.relay().streams().find("other")).isNull();
            assertThat(isRefusedAtOnce(running.raw(0))).isTrue();
            first.piece(chunk, 188 * 100, chunk.length - 188 * 100).end();
            assertThat(first.answer()).startsWith("200 ");
            assertThat(running.relay().streams().counters().refusals.sum()).isEqualTo(2);
        }
    }

    private static boolean isRefusedAtOnce(InetSocketAddress raw) {
        try (RawSource source = new RawSource(raw)) {
            return source.isClosed();
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void shouldCloseAConnectionThatSendsARequestByteByByte() throws IOException {
        try (Running running =
                new Running("tcp", "livestream { edge.idle-timeout = 500 ms, ingest.idle-timeout = 500 ms }")) {
            Edge edge = running.edge();
            for (InetSocketAddress server : List.of(edge.address(), running.ingest())) {
                HttpSocket slow = requesting(running, server);
                AwaitConnected.until(() -> isCut(slow));
            }
        }
    }

    /**
     * Returns a connection on which a request has been started. Retries, because a busy machine may initially be too
     * slow.
     */
    private static HttpSocket requesting(Running running, InetSocketAddress server) {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                return running.opened(new HttpSocket(server)).write("GET / HTTP/1.1\r\nX: ");
            } catch (IOException e) {
                // The idle timeout closed this connection before its request started.
            }
        }
        throw new AssertionError("no request could begin before the idle timeout");
    }

    private static boolean isCut(HttpSocket socket) {
        try {
            socket.write("x");
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Test
    void shouldShowMetricsOnlyToClientsWithTheToken() {
        try (Running running = new Running("tcp", "livestream.metrics.token = secret")) {
            Edge edge = running.edge();
            for (InetSocketAddress server : List.of(edge.address(), running.ingest())) {
                assertThat(Https.get(server, "/metrics").statusCode()).isEqualTo(401);
                assertThat(Https.get(server, "/metrics", "Authorization", "Bearer wrong")
                                .statusCode())
                        .isEqualTo(403);
                assertThat(new String(Https.get(server, "/metrics", "Authorization", "Bearer secret")
                                .body()))
                        .contains("livestream_streams");
                assertThat(Https.get(server, "/api/streams").statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void shouldListAtMostAHundredChunks() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            for (int i = 0; i < 250; i++) {
                byte[] small = io.rocketbufs.livestream.bench.EmulatedChunk.make(1, i, 188 * 24, 2000);
                assertThat(Https.put(running.ingest(), "/ingest/cam/i" + i + ".ts", small)
                                .statusCode())
                        .isEqualTo(200);
            }
            Emulated.awaitPlaylist(edge.address(), "cam", "-249.ts");
            assertThat(Emulated.files(edge.address(), "cam")).hasSize(100);
            push(running.ingest(), "cam", 250);
        }
    }
}
