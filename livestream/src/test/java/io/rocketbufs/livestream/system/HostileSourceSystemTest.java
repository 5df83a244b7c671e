package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.chunk;
import static io.rocketbufs.livestream.system.Emulated.fetch;
import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.playlist;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.livestream.relay.StreamState;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class HostileSourceSystemTest {
    private static final String CHUNK_LENGTH = "livestream.stream.chunk-length = 60 KiB";

    @Test
    void shouldRefuseATruncatedBodyAndContinue() throws IOException {
        try (Running running = new Running("tcp", CHUNK_LENGTH)) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            byte[] before = push(running.ingest(), "cam", 0);
            byte[] cut = chunk(1, 1);
            RawSource killed = new RawSource(running.ingest()).begin("PUT", "/ingest/cam/i1.ts");
            killed.piece(cut, 0, 188 * 100);
            AwaitConnected.until(() -> running.relay().isWriting("cam"));
            killed.vanish();
            AwaitConnected.until(() -> truncations(running) == 1);

            byte[] after = push(running.ingest(), "cam", 2);

            awaitFiles(edge.address(), "cam", 2);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(0)))
                    .isEqualTo(before);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(1)))
                    .isEqualTo(after);
            assertThat(playlist(edge.address(), "cam")).contains("#EXT-X-DISCONTINUITY\n");
        }
    }

    private static long truncations(Running running) {
        return running.relay().streams().counters().truncations.sum();
    }

    @Test
    void shouldRefuseAChunkAboveTheLimitAndContinue() throws IOException {
        try (Running running = new Running("tcp", CHUNK_LENGTH)) {
            byte[] large = io.rocketbufs.livestream.bench.EmulatedChunk.make(1, 0, 121 * 1024, 2000);
            var response = Https.put(running.ingest(), "/ingest/cam/i0.ts", large);
            assertThat(response.statusCode()).isEqualTo(413);
            assertThat(new String(response.body(), StandardCharsets.UTF_8))
                    .contains("has more than ", "livestream.stream.chunk-length");

            push(running.ingest(), "cam", 1);
            assertThat(running.relay().streams().states().get(0).chunks()).isEqualTo(1);
        }
    }

    /** ffmpeg does not report the responses that it receives. */
    @Test
    void shouldShowStreamsWhoseChunksAreAllRefused() {
        try (Running running = new Running("tcp", CHUNK_LENGTH)) {
            byte[] large = io.rocketbufs.livestream.bench.EmulatedChunk.make(1, 0, 121 * 1024, 2000);
            for (int i = 0; i < 3; i++) {
                Https.put(running.ingest(), "/ingest/cam/i0.ts", large);
            }
            Https.put(running.ingest(), "/ingest/other/i0.ts", new byte[300]);
            AwaitConnected.until(
                    () -> Https.text(running.ingest(), "/admin/api/streams").contains("\"name\":\"other\""));
            assertThat(Https.text(running.ingest(), "/admin/api/streams?sort=refusals"))
                    .contains("\"name\":\"cam\",\"state\":\"refused\"")
                    .contains("\"refusals\":3,\"refusal\":\"413 the chunk has more than ");
            assertThat(Https.text(running.ingest(), "/api/streams"))
                    .contains("\"refused\":3,\"refusal\":\"413 the chunk has more than ")
                    .contains("\"name\":\"other\"", "\"refusal\":\"415 ");
        }
    }

    @Test
    void shouldAcceptTwoSecondsOfA1080pStreamByDefault() {
        try (Running running = new Running("tcp")) {
            int usual = 9_000_000 / 8 * 2;
            byte[] chunk = io.rocketbufs.livestream.bench.EmulatedChunk.make(1, 0, 2 * usual, 2000);
            assertThat(Https.put(running.ingest(), "/ingest/cam/i0.ts", chunk).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void shouldRefuseDataThatIsNotVideo() {
        try (Running running = new Running("tcp")) {
            byte[] noise = new byte[5000];
            new Random(1).nextBytes(noise);
            noise[0] = 1;
            assertThat(Https.put(running.ingest(), "/ingest/cam/i0.ts", noise).statusCode())
                    .isEqualTo(415);
            byte[] broken = chunk(1, 1);
            broken[188 * 30] = 0;
            assertThat(Https.put(running.ingest(), "/ingest/cam/i1.ts", broken).statusCode())
                    .isEqualTo(415);
            byte[] cut = java.util.Arrays.copyOf(chunk(1, 1), 188 * 50 + 1);
            assertThat(Https.put(running.ingest(), "/ingest/cam/i1.ts", cut).statusCode())
                    .isEqualTo(400);
            assertThat(Https.put(running.ingest(), "/ingest/cam/i1.ts", new byte[0])
                            .statusCode())
                    .isEqualTo(400);
            assertThat(Https.put(running.ingest(), "/ingest/cam/a.m3u8", noise).statusCode())
                    .isEqualTo(415);
            byte[] fragment = "....moof".getBytes(StandardCharsets.ISO_8859_1);
            assertThat(Https.put(running.ingest(), "/ingest/cam/1.m4s", fragment)
                            .statusCode())
                    .isEqualTo(409);
            byte[] init = "....ftypmp42".getBytes(StandardCharsets.ISO_8859_1);
            assertThat(Https.put(running.ingest(), "/ingest/cam/init.mp4", init).statusCode())
                    .isEqualTo(400);
            assertThat(Https.put(running.ingest(), "/ingest/c.m/i0.ts", chunk(1, 1))
                            .statusCode())
                    .isEqualTo(400);
            assertThat(Https.put(running.ingest(), "/elsewhere/i0.ts", chunk(1, 1))
                            .statusCode())
                    .isEqualTo(404);
            assertThat(Https.send(running.ingest(), "/ingest/cam/i0.ts", "PATCH", chunk(1, 1))
                            .statusCode())
                    .isEqualTo(405);
            assertThat(running.relay().streams().states()).noneMatch(state -> state.chunks() > 0);
        }
    }

    @Test
    void shouldRejectInvalidRequests() throws IOException {
        try (Running running = new Running("tcp")) {
            for (String path : new String[] {"/ingest/%zz/i0.ts", "/ingest/cam/%f", "/ingest/cam/i0.ts?key=%"}) {
                RawSource source = running.opened(new RawSource(running.ingest()));
                source.begin("PUT", path);
                assertThat(source.answer()).as(path).startsWith("400 ");
            }
            RawSource reader = running.opened(new RawSource(running.ingest()));
            reader.begin("GET", "/metrics").piece(new byte[1000], 0, 1000);
            assertThat(reader.answer()).startsWith("400 ");
        }
    }

    /** One source must not prevent edges from receiving the streams of other sources. */
    @Test
    void shouldAcceptEdgesWhateverAnInitSegmentContains() {
        try (Running running = new Running("tcp")) {
            push(running.ingest(), "good", 0);
            byte[] tracks = InitSegments.withTracks(60);
            assertThat(Https.put(running.ingest(), "/ingest/bad/init.mp4", tracks)
                            .statusCode())
                    .isEqualTo(400);
            byte[] nested = InitSegments.nested(1500);
            assertThat(Https.put(running.ingest(), "/ingest/bad/init.mp4", nested)
                            .statusCode())
                    .isEqualTo(400);
            byte[] strange = InitSegments.withTracks(8);
            assertThat(Https.put(running.ingest(), "/ingest/strange/init.mp4", strange)
                            .statusCode())
                    .isEqualTo(200);
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            AwaitConnected.until(() -> running.relay().subscribed("good") == 1);
            push(running.ingest(), "good", 1);
            awaitFiles(edge.address(), "good", 1);
        }
    }

    @Test
    void shouldKeepTheOrderOfAFileWhoseSourceDisconnectedEarly() throws IOException {
        try (Running running = new Running("tcp")) {
            AtomicInteger trials = new AtomicInteger();
            // On a busy machine, the second source may wait for longer than the relay's time limit.
            AwaitConnected.until(() -> keepsTheOrder(running, "cam" + trials.incrementAndGet()));
            assertThat(truncations(running)).isZero();
        }
    }

    /**
     * Pushes two files at once to a new stream, the second from a source that disconnects early. Returns false if the
     * relay refuses the second file.
     */
    private static boolean keepsTheOrder(Running running, String stream) throws IOException {
        long refusals = running.relay().streams().counters().refusals.sum();
        byte[] chunk = chunk(1, 0);
        RawSource first = running.opened(new RawSource(running.ingest()));
        first.begin("PUT", "/ingest/" + stream + "/i0.ts").piece(chunk, 0, 188 * 100);
        AwaitConnected.until(() -> running.relay().isWriting(stream));
        byte[] next = chunk(1, 1);
        RawSource second = new RawSource(running.ingest());
        second.begin("PUT", "/ingest/" + stream + "/i1.ts")
                .piece(next, 0, next.length)
                .end();
        second.vanish();
        // Long enough for the relay to detect the disconnection but shorter than the relay's time limit.
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(60));
        first.piece(chunk, 188 * 100, chunk.length - 188 * 100).end();
        AwaitConnected.until(() -> chunks(running, stream) == 2
                || running.relay().streams().counters().refusals.sum() > refusals);
        return chunks(running, stream) == 2;
    }

    private static long chunks(Running running, String stream) {
        return running.relay().streams().states().stream()
                .filter(state -> state.name().equals(stream))
                .mapToLong(StreamState::chunks)
                .sum();
    }

    @Test
    void shouldRefuseTheSecondOfTwoAlternatingSourcesAtOneAddress() {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            for (int i = 0; i < 6; i++) {
                assertThat(put(running, 100 + i)).isEqualTo(200);
                // The first file of the second source could also be from a restart of the first source.
                assertThat(put(running, i)).as("file %d of the second", i).isEqualTo(i == 0 ? 200 : 409);
            }
            byte[] end = "#EXTM3U\n#EXT-X-ENDLIST\n".getBytes(StandardCharsets.UTF_8);
            assertThat(Https.put(running.ingest(), "/ingest/cam/index.m3u8", end)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(put(running, 106)).isEqualTo(200);
            awaitFiles(edge.address(), "cam", 8);
            String playlist = playlist(edge.address(), "cam");
            assertThat(playlist).doesNotContain("ENDLIST");
            // There is a discontinuity before and after the second source's only file.
            assertThat(playlist.split("#EXT-X-DISCONTINUITY\n", -1)).hasSize(3);
        }
    }

    private static int put(Running running, int number) {
        return Https.put(running.ingest(), "/ingest/cam/i" + number + ".ts", chunk(1, number))
                .statusCode();
    }

    @Test
    void shouldAcceptOnlySourcesWithTheStreamKey() {
        String keys = "livestream.ingest.keys = [{stream = cam, key = one}, {stream = \"*\", key = master}]";
        try (Running running = new Running("tcp", keys)) {
            byte[] chunk = chunk(1, 1);
            String path = "/ingest/cam/i0.ts";
            assertThat(Https.put(running.ingest(), path, chunk).statusCode()).isEqualTo(401);
            assertThat(Https.put(running.ingest(), path, chunk, "Authorization", "Bearer two")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(Https.put(running.ingest(), "/ingest/other/i0.ts?key=one", chunk)
                            .statusCode())
                    .isEqualTo(403);

            assertThat(Https.put(running.ingest(), path, chunk, "Authorization", "Bearer one")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(Https.put(running.ingest(), path + "?key=master", chunk).statusCode())
                    .isEqualTo(200);
            String basic = Base64.getEncoder().encodeToString("user:one".getBytes(StandardCharsets.UTF_8));
            HttpResponse<byte[]> ofAWebPage = Https.put(
                    running.ingest(), path, chunk, "Authorization", "Basic " + basic, "Sec-Fetch-Site", "cross-site");
            assertThat(ofAWebPage.statusCode()).isEqualTo(403);
            assertThat(new String(ofAWebPage.body(), StandardCharsets.UTF_8))
                    .contains("a web page must present the key");
            for (String scheme : new String[] {"Basic ", "basic "}) {
                assertThat(Https.put(running.ingest(), path, chunk, "Authorization", scheme + basic)
                                .statusCode())
                        .as(scheme)
                        .isEqualTo(200);
            }
            String withoutColon = Base64.getEncoder().encodeToString("one".getBytes(StandardCharsets.UTF_8));
            for (String malformed : new String[] {"*", withoutColon}) {
                assertThat(Https.put(running.ingest(), path, chunk, "Authorization", "Basic " + malformed)
                                .statusCode())
                        .as(malformed)
                        .isEqualTo(400);
            }
        }
    }

    @Test
    void shouldRefuseASecondSourceOfALiveStream() throws IOException {
        try (Running running = new Running("tcp")) {
            byte[] chunk = chunk(1, 1);
            RawSource first = running.opened(new RawSource(running.ingest()));
            first.begin("PUT", "/ingest/cam/i0.ts").piece(chunk, 0, 188 * 100);
            AwaitConnected.until(() -> running.relay().isWriting("cam"));

            RawSource elsewhere = running.opened(new RawSource(running.ingest(), "127.0.0.2"));
            elsewhere.begin("PUT", "/ingest/cam/i0.ts").piece(chunk, 0, chunk.length);
            assertThat(elsewhere.answer()).startsWith("409 ").contains("already has a source, at another address");
            RawSource beside = running.opened(new RawSource(running.ingest()));
            beside.begin("PUT", "/ingest/cam/i0.ts").piece(chunk, 0, chunk.length);
            assertThat(beside.answer()).startsWith("409 ").contains("already has a source");

            first.piece(chunk, 188 * 100, chunk.length - 188 * 100).end();
            assertThat(first.answer()).startsWith("200 ");
        }
    }

    @Test
    void shouldAcceptAnotherSourceWhenTheFirstHasBeenSilent() throws IOException {
        try (Running running = new Running("tcp", "livestream.ingest.source-timeout = 500 ms")) {
            push(running.ingest(), "cam", 0);
            AwaitConnected.until(() -> running.relay().streams().states().isEmpty());

            RawSource elsewhere = running.opened(new RawSource(running.ingest(), "127.0.0.2"));
            byte[] chunk = chunk(1, 1);
            elsewhere
                    .begin("PUT", "/ingest/cam/i0.ts")
                    .piece(chunk, 0, chunk.length)
                    .end();
            assertThat(elsewhere.answer()).startsWith("200 ");
        }
    }

    @Test
    void shouldAcceptManyFilesOverOneConnectionInPiecesOfAnyLength() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            RawSource source = running.opened(new RawSource(running.ingest()));
            byte[] first = chunk(1, 0);
            source.begin("PUT", "/ingest/cam/i0.ts", "Expect: 100-continue");
            assertThat(source.answer()).startsWith("100");
            for (int i = 0; i < 20; i++) {
                source.piece(first, i, 1);
            }
            source.piece(first, 20, 1000)
                    .piece(first, 1020, first.length - 1020)
                    .end();
            assertThat(source.answer()).startsWith("200 ");
            byte[] second = chunk(1, 1);
            source.begin("POST", "/ingest/cam/i1.ts")
                    .piece(second, 0, second.length)
                    .end();
            assertThat(source.answer()).startsWith("200 ");

            awaitFiles(edge.address(), "cam", 2);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(0)))
                    .isEqualTo(first);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(1)))
                    .isEqualTo(second);
        }
    }

    @Test
    void shouldCutAnEndlessStreamAtKeyFrames() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < 5; i++) {
                all.writeBytes(chunk(1, i));
            }
            byte[] bytes = all.toByteArray();
            RawSource source = running.opened(new RawSource(running.ingest()));
            source.begin("POST", "/ingest/cam.ts");
            int step = 1237; // chosen so that the pieces end in the middle of packets
            for (int i = 0; i < bytes.length; i += step) {
                source.piece(bytes, i, Math.min(step, bytes.length - i));
            }
            source.end();
            assertThat(source.answer()).startsWith("200 ");

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            assertThat(files(edge.address(), "cam")).hasSize(5);
            for (int i = 0; i < 5; i++) {
                assertThat(fetch(
                                edge.address(),
                                "cam",
                                files(edge.address(), "cam").get(i)))
                        .as("chunk %d", i)
                        .isEqualTo(chunk(1, i));
            }
        }
    }

    @Test
    void shouldContinueAfterADiscontinuityWhenTimeStampsOfAnEndlessStreamJump() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            RawSource source = running.opened(new RawSource(running.ingest()));
            source.begin("POST", "/ingest/cam.ts");
            for (int number : new int[] {0, 1, 1801, 1802, 1818}) {
                byte[] chunk = chunk(1, number);
                source.piece(chunk, 0, chunk.length);
            }
            source.end();

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            String playlist = playlist(edge.address(), "cam");
            assertThat(playlist).contains("#EXT-X-TARGETDURATION:2\n");
            assertThat(playlist.split("#EXTINF:2.000000,\n", -1)).hasSize(6);
            assertThat(playlist.split("#EXT-X-DISCONTINUITY\n", -1)).hasSize(3);
        }
    }

    /** MPEG-TS timestamps wrap after 26.5 hours. */
    @Test
    void shouldContinueWithoutADiscontinuityWhenTimeStampsWrap() {
        int last = (int) ((1L << 33) / 90 / Emulated.DURATION_MS);
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            for (int i = last - 2; i < last + 3; i++) {
                push(running.ingest(), "cam", i);
            }
            awaitFiles(edge.address(), "cam", 5);
            assertThat(playlist(edge.address(), "cam")).doesNotContain("DISCONTINUITY");
        }
    }

    @Test
    void shouldDropOnlyTheLastChunkOfATruncatedEndlessStream() throws IOException {
        try (Running running = new Running("tcp", "livestream.ingest.raw = [{port = 0, stream = cam}]")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            RawSource source = new RawSource(running.raw(0));
            source.raw(chunk(1, 0)).raw(chunk(1, 1)).raw(java.util.Arrays.copyOf(chunk(1, 2), 188 * 100));
            awaitFiles(edge.address(), "cam", 2);

            source.vanish();

            AwaitConnected.until(() -> truncations(running) == 1);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(1)))
                    .isEqualTo(chunk(1, 1));
            RawSource again = running.opened(new RawSource(running.raw(0)));
            again.raw(chunk(1, 5)).raw(chunk(1, 6));
            awaitFiles(edge.address(), "cam", 3);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(2)))
                    .isEqualTo(chunk(1, 5));
            assertThat(playlist(edge.address(), "cam")).contains("#EXT-X-DISCONTINUITY\n");
        }
    }

    @Test
    void shouldDisconnectARawSourceWithoutAKey() throws IOException {
        String settings = "livestream.ingest { raw = [{port = 0}], keys = [{stream = localhost, key = k}] }";
        try (Running running = new Running("tcp", settings)) {
            RawSource source = running.opened(new RawSource(running.raw(0)));
            assertThat(source.isClosed()).isTrue();
            assertThat(running.relay().streams().states()).isEmpty();
        }
    }
}
