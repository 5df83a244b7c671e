package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.Https.metric;
import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.fetch;
import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.bench.EmulatedChunk;
import io.rocketbufs.livestream.edge.Edge;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class ViewerSystemTest {
    private static final int LARGE = 3 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma", "shm"})
    void shouldCloseBeforeTheDeclaredLengthWhenTheChunkIsOverwritten(String transport) throws IOException {
        try (Running running = new Running(transport, "livestream.stream { chunks = 4, chunk-length = 4 MiB }")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            byte[] first = large(running, 0);
            awaitFiles(edge.address(), "cam", 1);
            String file = files(edge.address(), "cam").get(0);
            try (SSLSocket slow = Https.socket(edge.address(), "127.0.0.1")) {
                request(slow, "/live/cam/" + file);
                InputStream in = slow.getInputStream();
                String head = head(in);
                assertThat(head).contains("content-length: " + first.length);
                byte[] beginning = in.readNBytes(50_000);

                for (int i = 1; i < 8; i++) {
                    large(running, i);
                    String newest = "-" + i + ".ts";
                    AwaitConnected.until(
                            () -> files(edge.address(), "cam").stream().anyMatch(each -> each.endsWith(newest)));
                }

                byte[] rest = readUntilClosed(in);
                assertThat(beginning.length + rest.length).isLessThan(first.length);
                for (int i = 0; i < rest.length; i++) {
                    if (rest[i] != first[beginning.length + i]) {
                        throw new AssertionError("byte " + (beginning.length + i) + " has changed");
                    }
                }
            }
            assertThat(metric(edge.address(), "livestream_overwritten_total")).isEqualTo(1);
            // The edge continues to serve all other viewers.
            String newest = files(edge.address(), "cam")
                    .get(files(edge.address(), "cam").size() - 1);
            assertThat(EmulatedChunk.isIntact(fetch(edge.address(), "cam", newest)))
                    .isTrue();
        }
    }

    private static byte[] large(Running running, int number) {
        byte[] chunk = EmulatedChunk.make(1, number, LARGE, 2000);
        assertThat(Https.put(running.ingest(), "/ingest/cam/i" + number + ".ts", chunk)
                        .statusCode())
                .isEqualTo(200);
        return chunk;
    }

    private static byte[] readUntilClosed(InputStream in) {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream();
        byte[] piece = new byte[16_384];
        try {
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                all.write(piece, 0, count);
            }
        } catch (IOException e) {
            // The server closes the connection without close_notify, because the response is incomplete.
        }
        return all.toByteArray();
    }

    @Test
    void shouldServeOthersWhileManyViewersAreStuck() throws IOException {
        try (Running running = new Running("tcp", "livestream.stream { chunks = 4, chunk-length = 4 MiB }")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            byte[] first = large(running, 0);
            awaitFiles(edge.address(), "cam", 1);
            String file = files(edge.address(), "cam").get(0);
            for (int i = 0; i < 50; i++) {
                request(running.opened(Https.socket(edge.address(), "127.0.0.1")), "/live/cam/" + file);
            }
            for (int i = 0; i < 10; i++) {
                assertThat(fetch(edge.address(), "cam", file)).isEqualTo(first);
            }
            for (int i = 1; i < 4; i++) {
                // The push of these chunks must not wait for any viewer either.
                large(running, i);
            }
        }
    }

    @Test
    void shouldDisconnectAViewerThatDoesNotReadItsResponse() throws IOException {
        try (Running running = new Running("tcp", "livestream.stream { chunks = 4, chunk-length = 4 MiB }")) {
            Edge patient = running.edge();
            Edge edge = running.edge("livestream.edge.idle-timeout = 500 ms");
            AwaitConnected.of(patient, edge);
            large(running, 0);
            awaitFiles(patient.address(), "cam", 1);
            String path = "/live/cam/" + files(patient.address(), "cam").get(0);

            // On a busy machine, the edge may disconnect a viewer before its request or before the chunk has arrived.
            byte[] response = await().ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> responseAfterDisconnection(edge, path), ViewerSystemTest::isOk);
            assertThat(response.length).isLessThan(LARGE);
        }
    }

    /** Requests a file, and reads the response only when the edge has disconnected all viewers. */
    private static byte[] responseAfterDisconnection(Edge edge, String path) throws IOException {
        try (SSLSocket stuck = Https.socket(edge.address(), "127.0.0.1")) {
            request(stuck, path);
            AwaitConnected.until(() -> edge.viewerCount() == 0);
            return readUntilClosed(stuck.getInputStream());
        }
    }

    private static boolean isOk(byte[] response) {
        return new String(response, StandardCharsets.ISO_8859_1).startsWith("HTTP/1.1 200");
    }

    @Test
    void shouldRespondAsCachesAndBrowsersExpect() {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            String file = "/live/cam/" + files(edge.address(), "cam").get(0);
            HttpResponse<byte[]> chunk = Https.get(edge.address(), file);
            assertThat(header(chunk, "content-type")).isEqualTo("video/mp2t");
            assertThat(header(chunk, "access-control-allow-origin")).isEqualTo("*");
            assertThat(header(chunk, "cache-control")).contains("immutable");
            HttpResponse<byte[]> playlist = Https.get(edge.address(), "/live/cam/index.m3u8");
            assertThat(header(playlist, "content-type")).isEqualTo("application/vnd.apple.mpegurl");
            assertThat(header(playlist, "cache-control")).isEqualTo("no-cache");

            for (String path : new String[] {file, "/live/cam/index.m3u8"}) {
                String tag = header(Https.get(edge.address(), path), "etag");
                HttpResponse<byte[]> same = Https.get(edge.address(), path, "If-None-Match", tag);
                assertThat(same.statusCode()).isEqualTo(304);
                assertThat(same.body()).isEmpty();
                HttpResponse<byte[]> head = Https.send(edge.address(), path, "HEAD", new byte[0]);
                assertThat(head.statusCode()).isEqualTo(200);
                assertThat(head.body()).isEmpty();
            }
            push(running.ingest(), "cam", 1);
            awaitFiles(edge.address(), "cam", 2);
            assertThat(Https.get(edge.address(), "/live/cam/index.m3u8", "If-None-Match", header(playlist, "etag"))
                            .statusCode())
                    .isEqualTo(200);
            HttpResponse<byte[]> preflight = Https.send(edge.address(), file, "OPTIONS", new byte[0]);
            assertThat(preflight.statusCode()).isEqualTo(204);
            assertThat(Https.send(edge.address(), file, "POST", new byte[0]).statusCode())
                    .isEqualTo(405);
            assertThat(Https.get(edge.address(), "/live/other/index.m3u8").statusCode())
                    .isEqualTo(404);
            assertThat(Https.text(edge.address(), "/watch/cam")).contains("hls.min.js");
            assertThat(Https.text(edge.address(), "/web/hls.js-LICENSE")).contains("Apache License");
            assertThat(Https.text(edge.address(), "/health/ready")).isEqualTo("ready\n");
            assertThat(Https.text(edge.address(), "/api/streams")).contains("\"name\":\"cam\"");
            assertThat(metric(edge.address(), "livestream_delivered_chunks_total"))
                    .isGreaterThan(0);
            assertThat(Https.text(running.ingest(), "/metrics"))
                    .contains("livestream_ingest_chunks_total 2.0", "livestream_edges 1.0");
        }
    }

    @Test
    void shouldRespondToPipelinedRequestsInOrder() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            byte[] pushed = push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            String file = "/live/cam/" + files(edge.address(), "cam").get(0);
            SSLSocket socket = running.opened(Https.socket(edge.address(), "127.0.0.1"));
            String one = "GET " + file + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
            String two = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
            socket.getOutputStream().write((one + two + one + two).getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            for (int i = 0; i < 2; i++) {
                assertThat(head(in)).contains("content-length: " + pushed.length);
                assertThat(in.readNBytes(pushed.length)).isEqualTo(pushed);
                assertThat(head(in)).contains("content-length: 5");
                assertThat(new String(in.readNBytes(5), StandardCharsets.UTF_8)).isEqualTo("live\n");
            }
        }
    }

    private static String header(HttpResponse<byte[]> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static void request(SSLSocket socket, String path) throws IOException {
        socket.getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.read());
        }
        return head.toString().toLowerCase(java.util.Locale.ROOT);
    }
}
