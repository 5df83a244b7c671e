package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the responses of edges and ingest servers to unusual or malformed requests (RFC 9110, RFC 9112). */
@Tag("once")
final class HttpSystemTest {
    private static final String HOST = "Host: localhost\r\n";

    @ParameterizedTest
    @CsvSource({
        "NO_HOST, 400",
        "TWO_HOSTS, 400",
        "LENGTH_AND_CHUNKED, 400",
        "LONG_HEADER, 431",
        "LONG_LINE, 414",
        "NO_HTTP, 400",
        "STRANGE_EXPECTATION, 417",
        "HTTP_2, 505",
        "GET_WITH_CONTENT, 400",
        "GET_THAT_EXPECTS, 400"
    })
    void shouldRejectMalformedRequests(Wrong wrong, String status) throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            for (InetSocketAddress server : List.of(edge.address(), running.ingest())) {
                HttpSocket client = running.opened(new HttpSocket(server));
                client.write(wrong.request);
                assertThat(client.answer()).as(wrong + " at " + server).startsWith(status + " ");
                assertThat(client.isClosed()).isTrue();
            }
        }
    }

    /** A request that every server must reject. */
    enum Wrong {
        NO_HOST("GET /health/live HTTP/1.1\r\n\r\n"),
        TWO_HOSTS("GET /health/live HTTP/1.1\r\n" + HOST + HOST + "\r\n"),
        LENGTH_AND_CHUNKED("POST /ingest/a/i.ts HTTP/1.1\r\n" + HOST
                + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        LONG_HEADER("GET /health/live HTTP/1.1\r\n" + HOST + "X: " + "x".repeat(20_000) + "\r\n\r\n"),
        LONG_LINE("GET /" + "x".repeat(20_000) + " HTTP/1.1\r\n" + HOST + "\r\n"),
        NO_HTTP("\u0001\u0002\u0003 what?\r\n\r\n"),
        STRANGE_EXPECTATION("GET /health/live HTTP/1.1\r\n" + HOST + "Expect: a-miracle\r\n\r\n"),
        HTTP_2("GET /health/live HTTP/2.0\r\n" + HOST + "\r\n"),
        GET_WITH_CONTENT("GET /health/live HTTP/1.1\r\n" + HOST + "Content-Length: 5\r\n\r\nhello"),
        GET_THAT_EXPECTS("GET /health/live HTTP/1.1\r\n" + HOST + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n");

        private final String request;

        Wrong(String request) {
            this.request = request;
        }
    }

    @Test
    void shouldServeHttp10WithoutAHost() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            for (InetSocketAddress server : List.of(edge.address(), running.ingest())) {
                HttpSocket client = running.opened(new HttpSocket(server));
                assertThat(client.write("GET /health/live HTTP/1.0\r\n\r\n").answer())
                        .isEqualTo("200 live");
            }
        }
    }

    @Test
    void shouldSendAllowAndDateHeaders() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            HttpResponse<byte[]> posted = Https.send(edge.address(), "/live/cam/index.m3u8", "POST", new byte[10]);
            assertThat(posted.statusCode()).isEqualTo(405);
            assertThat(header(posted, "allow")).isEqualTo("GET, HEAD, OPTIONS");
            HttpResponse<byte[]> patched = Https.send(running.ingest(), "/ingest/cam/i1.ts", "PATCH", new byte[10]);
            assertThat(patched.statusCode()).isEqualTo(405);
            assertThat(header(patched, "allow")).contains("PUT");

            String file = "/live/cam/" + files(edge.address(), "cam").get(0);
            for (String path : List.of("/", "/live/cam/index.m3u8", file, "/nothing")) {
                assertThat(header(Https.get(edge.address(), path), "date"))
                        .as(path)
                        .endsWith(" GMT");
            }
            assertThat(header(Https.get(running.ingest(), "/"), "date")).endsWith(" GMT");
        }
    }

    @Test
    void shouldServePartsOfAChunk() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            byte[] chunk = io.rocketbufs.livestream.bench.EmulatedChunk.make(1, 0, 300_000, 2000);
            Https.put(running.ingest(), "/ingest/cam/i0.ts", chunk);
            awaitFiles(edge.address(), "cam", 1);
            String file = "/live/cam/" + files(edge.address(), "cam").get(0);
            assertThat(header(Https.get(edge.address(), file), "accept-ranges")).isEqualTo("bytes");
            assertPart(edge, file, "bytes=0-0", chunk, 0, 1);
            assertPart(edge, file, "bytes=100-199", chunk, 100, 200);
            assertPart(edge, file, "bytes=70000-", chunk, 70_000, chunk.length);
            assertPart(edge, file, "bytes=-10", chunk, chunk.length - 10, chunk.length);
            assertPart(edge, file, "bytes=5-99999999", chunk, 5, chunk.length);
            HttpResponse<byte[]> none = Https.get(edge.address(), file, "Range", "bytes=" + chunk.length + "-");
            assertThat(none.statusCode()).isEqualTo(416);
            assertThat(header(none, "content-range")).isEqualTo("bytes */" + chunk.length);
            for (String ignored : List.of("bytes=0-1,3-4", "bytes=9-3", "bytes=-", "lines=1-2")) {
                assertThat(Https.get(edge.address(), file, "Range", ignored).statusCode())
                        .as(ignored)
                        .isEqualTo(200);
            }
            assertThat(Https.get(edge.address(), file, "Range", "bytes=0-1", "If-Range", "\"another\"")
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    private static void assertPart(Edge edge, String file, String range, byte[] whole, int from, int to) {
        HttpResponse<byte[]> part = Https.get(edge.address(), file, "Range", range);
        assertThat(part.statusCode()).as(range).isEqualTo(206);
        assertThat(header(part, "content-range")).isEqualTo("bytes " + from + "-" + (to - 1) + "/" + whole.length);
        assertThat(part.body()).as(range).isEqualTo(Arrays.copyOfRange(whole, from, to));
    }

    @Test
    void shouldCompressPlaylistsAndPagesButNotMedia() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            for (int i = 0; i < 40; i++) {
                push(running.ingest(), "cam", i);
            }
            awaitFiles(edge.address(), "cam", 40);
            for (String path : List.of("/live/cam/index.m3u8", "/web/hls.min.js")) {
                HttpResponse<byte[]> plain = Https.get(edge.address(), path);
                HttpResponse<byte[]> zipped = Https.get(edge.address(), path, "Accept-Encoding", "gzip, br");
                assertThat(header(plain, "content-encoding")).isEmpty();
                assertThat(header(zipped, "content-encoding")).isEqualTo("gzip");
                assertThat(header(zipped, "vary")).isEqualToIgnoringCase("accept-encoding");
                assertThat(zipped.body().length).isLessThan(plain.body().length / 2);
                try (GZIPInputStream unzipped = new GZIPInputStream(new ByteArrayInputStream(zipped.body()))) {
                    assertThat(unzipped.readAllBytes()).as(path).isEqualTo(plain.body());
                }
            }
            String file = "/live/cam/" + files(edge.address(), "cam").get(0);
            HttpResponse<byte[]> media = Https.get(edge.address(), file, "Accept-Encoding", "gzip");
            assertThat(header(media, "content-encoding")).isEmpty();
        }
    }

    @Test
    void shouldStopReadingFromARefusedSource() throws IOException {
        try (Running running = new Running("tcp", "livestream.ingest.keys = [{stream = cam, key = secret}]")) {
            RawSource source = running.opened(new RawSource(running.ingest()));
            byte[] piece = new byte[1 << 20];
            source.begin("PUT", "/ingest/cam/i0.ts").piece(piece, 0, 1000);
            assertThat(source.answer()).startsWith("401 ");
            // The operating system's socket buffers accept a few megabytes that the server does not read.
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 64; i++) {
                            source.piece(piece, 0, piece.length);
                        }
                    })
                    .isInstanceOf(IOException.class);
        }
    }

    private static String header(HttpResponse<byte[]> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
