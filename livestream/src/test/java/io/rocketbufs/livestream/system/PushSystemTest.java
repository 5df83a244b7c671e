package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.fetch;
import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.playlist;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.bench.EmulatedChunk;
import io.rocketbufs.livestream.edge.Edge;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class PushSystemTest {
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma", "shm"})
    void shouldServeEveryByteThatWasPushed(String transport) {
        try (Running running = new Running(transport)) {
            Edge one = running.edge();
            Edge two = running.edge();
            AwaitConnected.of(one, two);

            List<byte[]> pushed = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                pushed.add(push(running.ingest(), "cam", i));
            }

            for (Edge edge : List.of(one, two)) {
                awaitFiles(edge.address(), "cam", 5);
                List<String> files = files(edge.address(), "cam");
                for (int i = 0; i < 5; i++) {
                    assertThat(fetch(edge.address(), "cam", files.get(i))).isEqualTo(pushed.get(i));
                }
            }
            assertThat(playlist(one.address(), "cam"))
                    .isEqualTo(playlist(two.address(), "cam"))
                    .contains("#EXT-X-TARGETDURATION:2\n", "#EXTINF:2.000000,\n")
                    .doesNotContain("DISCONTINUITY", "ENDLIST");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma", "shm"})
    void shouldListOnlyChunksThatTheNextOneCannotOverwrite(String transport) {
        String small = "livestream.stream { chunks = 8, chunk-length = 60 KiB }";
        try (Running running = new Running(transport, small)) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            byte[] last = {};
            for (int i = 0; i < 40; i++) {
                last = push(running.ingest(), "cam", i);
                String newest = "-" + i + ".ts";
                AwaitConnected.until(
                        () -> files(edge.address(), "cam").stream().anyMatch(file -> file.endsWith(newest)));
                for (String file : files(edge.address(), "cam")) {
                    assertThat(fetch(edge.address(), "cam", file)).isNotEmpty();
                }
            }
            List<String> files = files(edge.address(), "cam");
            assertThat(files).hasSizeBetween(5, 9);
            assertThat(fetch(edge.address(), "cam", files.get(files.size() - 1)))
                    .isEqualTo(last);
            String gone = files.get(0).replaceAll("-.*", "-0.ts");
            assertThat(Https.get(edge.address(), "/live/cam/" + gone).statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void shouldEndThePlaylistAtTheRequestOfTheSource() {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            byte[] going = "#EXTM3U\n#EXTINF:2,\ni0.ts\n".getBytes(StandardCharsets.UTF_8);
            byte[] ended = "#EXTM3U\n#EXTINF:2,\ni0.ts\n#EXT-X-ENDLIST\n".getBytes(StandardCharsets.UTF_8);
            assertThat(Https.put(running.ingest(), "/ingest/cam/index.m3u8", going)
                            .statusCode())
                    .isEqualTo(200);
            awaitFiles(edge.address(), "cam", 1);
            assertThat(playlist(edge.address(), "cam")).doesNotContain("ENDLIST");
            long before = Emulated.mediaSequence(edge.address(), "cam");

            assertThat(Https.put(running.ingest(), "/ingest/cam/index.m3u8", ended)
                            .statusCode())
                    .isEqualTo(200);

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            assertThat(Https.send(running.ingest(), "/ingest/cam/i0.ts", "DELETE", new byte[0])
                            .statusCode())
                    .isEqualTo(200);
            // The stream restarts.
            byte[] again = push(running.ingest(), "cam", 0);
            AwaitConnected.until(() -> !playlist(edge.address(), "cam").contains("ENDLIST"));
            awaitFiles(edge.address(), "cam", 1);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(0)))
                    .isEqualTo(again);
            assertThat(Emulated.mediaSequence(edge.address(), "cam")).isGreaterThan(before);
        }
    }

    @Test
    void shouldServeTheLastFileEvenIfThePlaylistThatEndsTheStreamOvertakesIt() {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            byte[] ended = "#EXTM3U\n#EXTINF:2,\ni0.ts\n#EXTINF:2,\n/ingest/cam/i1.ts?a=b\n#EXT-X-ENDLIST\n"
                    .getBytes(StandardCharsets.UTF_8);
            assertThat(Https.put(running.ingest(), "/ingest/cam/index.m3u8", ended)
                            .statusCode())
                    .isEqualTo(200);

            byte[] last = push(running.ingest(), "cam", 1);

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            assertThat(files(edge.address(), "cam")).hasSize(2);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(1)))
                    .isEqualTo(last);
        }
    }

    @Test
    void shouldEndTheStreamAfterTheSourceTimeoutWhenTheLastFileNeverArrives() {
        try (Running running = new Running("tcp", "livestream.ingest.source-timeout = 500 ms")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            byte[] ended = "#EXTM3U\n#EXTINF:2,\ni0.ts\n#EXTINF:2,\nrenamed.ts\n#EXT-X-ENDLIST\n"
                    .getBytes(StandardCharsets.UTF_8);
            assertThat(Https.put(running.ingest(), "/ingest/cam/index.m3u8", ended)
                            .statusCode())
                    .isEqualTo(200);

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            assertThat(files(edge.address(), "cam")).hasSize(1);
        }
    }

    @Test
    void shouldRefuseAnEndingPlaylistWithAMalformedUrl() {
        try (Running running = new Running("tcp")) {
            push(running.ingest(), "cam", 0);
            byte[] malformed = "#EXTM3U\n#EXTINF:2,\ni%zz.ts\n#EXT-X-ENDLIST\n".getBytes(StandardCharsets.UTF_8);
            HttpResponse<byte[]> refused = Https.put(running.ingest(), "/ingest/cam/index.m3u8", malformed);
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(new String(refused.body(), StandardCharsets.UTF_8))
                    .startsWith("the playlist contains a malformed URL: ");
        }
    }

    @Test
    void shouldNotDecreaseChunkNumbersWhenTheStreamEnds() {
        try (Running running = new Running("tcp", "livestream.stream { chunks = 8, chunk-length = 60 KiB }")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            for (int i = 0; i < 30; i++) {
                push(running.ingest(), "cam", i);
            }
            Emulated.awaitPlaylist(edge.address(), "cam", "-29.ts");
            List<String> before = files(edge.address(), "cam");
            long numberBefore = Emulated.mediaSequence(edge.address(), "cam");
            byte[] end = "#EXTM3U\n#EXT-X-ENDLIST\n".getBytes(StandardCharsets.UTF_8);
            Https.put(running.ingest(), "/ingest/cam/index.m3u8", end);

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            assertThat(Emulated.mediaSequence(edge.address(), "cam")).isEqualTo(numberBefore);
            assertThat(files(edge.address(), "cam")).isEqualTo(before);
        }
    }

    @Test
    void shouldReportTheSameTargetDurationOnAnEdgeThatConnectsAfterTheLongestChunk() {
        try (Running running = new Running("tcp")) {
            Edge early = running.edge();
            AwaitConnected.of(early);
            byte[] large = EmulatedChunk.make(1, 0, Emulated.LENGTH, 4000);
            assertThat(Https.put(running.ingest(), "/ingest/cam/i0.ts", large).statusCode())
                    .isEqualTo(200);
            awaitFiles(early.address(), "cam", 1);
            Edge late = running.edge();
            AwaitConnected.of(late);
            AwaitConnected.until(() -> running.relay().subscribed("cam") == 2);
            push(running.ingest(), "cam", 2);

            for (Edge edge : List.of(early, late)) {
                Emulated.awaitPlaylist(edge.address(), "cam", "-1.ts");
                assertThat(playlist(edge.address(), "cam")).contains("#EXT-X-TARGETDURATION:4\n");
            }
        }
    }

    @Test
    void shouldServeAnEdgeThatConnectsLate() {
        try (Running running = new Running("tcp")) {
            Edge early = running.edge();
            AwaitConnected.of(early);
            push(running.ingest(), "cam", 0);
            awaitFiles(early.address(), "cam", 1);
            Edge late = running.edge();
            AwaitConnected.of(late);
            AwaitConnected.until(
                    () -> Https.text(late.address(), "/api/streams").contains("\"cam\""));
            AwaitConnected.until(() -> running.relay().subscribed("cam") == 2);

            byte[] pushed = push(running.ingest(), "cam", 1);

            awaitFiles(late.address(), "cam", 1);
            assertThat(Emulated.mediaSequence(late.address(), "cam"))
                    .isEqualTo(Emulated.mediaSequence(early.address(), "cam") + 1);
            assertThat(fetch(late.address(), "cam", files(late.address(), "cam").get(0)))
                    .isEqualTo(pushed);
        }
    }
}
