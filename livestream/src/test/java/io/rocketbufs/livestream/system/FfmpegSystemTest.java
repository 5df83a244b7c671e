package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.fetch;
import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.playlist;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that streams pushed by the real ffmpeg in all its modes arrive unchanged at an edge. */
@Tag("once")
@Timeout(600)
final class FfmpegSystemTest {
    private static final int SECONDS = 11;
    private static final String FAST = "4";

    @TempDir
    File folder;

    /** Tests all modes concurrently to save time. ffprobe and curl read from the edge. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma", "shm"})
    void shouldServeEveryByteThatFfmpegPushed(String transport) throws IOException {
        try (Running running = new Running(transport, "livestream.ingest.raw = [{port = 0}]")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            String ingest = "https://localhost:" + running.ingest().getPort() + "/ingest/";
            for (String stream : List.of("files", "parts", "kept", "endless", "raw")) {
                new File(folder, stream).mkdir();
            }
            String hls = "f=hls:hls_time=2:hls_list_size=0";
            String fmp4 = hls + ":hls_segment_type=fmp4";
            Ffmpeg ffmpeg = running.opened(Ffmpeg.push(
                    SECONDS,
                    FAST,
                    "[" + hls + ":method=PUT]" + ingest + "files/i.m3u8",
                    "[" + hls + "]" + folder + "/files/i.m3u8",
                    "[" + hls + ":method=PUT:http_persistent=1]" + ingest + "kept/i.m3u8",
                    "[" + hls + "]" + folder + "/kept/i.m3u8",
                    "[" + fmp4 + ":method=PUT]" + ingest + "parts/i.m3u8",
                    "[" + fmp4 + "]" + folder + "/parts/i.m3u8",
                    "[f=mpegts:method=POST]" + ingest + "endless.ts",
                    "[f=mpegts]" + folder + "/endless/all.ts",
                    "[f=mpegts:verifyhost=raw]tls://localhost:" + running.raw(0).getPort(),
                    "[f=mpegts]" + folder + "/raw/all.ts"));
            ffmpeg.finish();

            for (String stream : List.of("files", "kept", "endless", "raw")) {
                Emulated.awaitPlaylist(edge.address(), stream, "#EXT-X-ENDLIST");
            }
            assertSame(edge.address(), "files", Ffmpeg.files(new File(folder, "files"), "i%d.ts"));
            assertSame(edge.address(), "kept", Ffmpeg.files(new File(folder, "kept"), "i%d.ts"));
            assertSameJoined(edge.address(), "endless", folder);
            assertSameJoined(edge.address(), "raw", folder);

            Emulated.awaitPlaylist(edge.address(), "parts", "#EXT-X-ENDLIST");
            assertSame(edge.address(), "parts", Ffmpeg.files(new File(folder, "parts"), "i%d.m4s"));
            String init = playlist(edge.address(), "parts").replaceAll("(?s).*URI=\"([^\"]*)\".*", "$1");
            assertThat(fetch(edge.address(), "parts", init))
                    .isEqualTo(Files.readAllBytes(new File(folder, "parts/init.mp4").toPath()));

            for (String stream : List.of("files", "parts", "endless")) {
                assertThat(playlist(edge.address(), stream))
                        .contains("#EXTINF:2.0", "#EXT-X-TARGETDURATION:2\n", "#EXT-X-INDEPENDENT-SEGMENTS")
                        .doesNotContain("DISCONTINUITY");
                assertToolsAgree(edge.address(), stream);
            }
        }
    }

    private static void assertSame(InetSocketAddress edge, String stream, List<byte[]> pushed) {
        List<String> files = files(edge, stream);
        assertThat(files).hasSameSizeAs(pushed).hasSize((SECONDS + 1) / 2);
        for (int i = 0; i < files.size(); i++) {
            assertThat(fetch(edge, stream, files.get(i))).as(stream + " " + i).isEqualTo(pushed.get(i));
        }
    }

    private static void assertSameJoined(InetSocketAddress edge, String stream, File folder) throws IOException {
        ByteArrayOutputStream served = new ByteArrayOutputStream();
        for (String file : files(edge, stream)) {
            served.writeBytes(fetch(edge, stream, file));
        }
        assertThat(served.toByteArray())
                .as(stream)
                .isEqualTo(Files.readAllBytes(folder.toPath().resolve(stream).resolve("all.ts")));
    }

    private static void assertToolsAgree(InetSocketAddress edge, String stream) {
        String playlist = Https.uri(edge, "/live/" + stream + "/index.m3u8").toString();
        assertThat(Ffmpeg.run(
                        "ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", playlist))
                .contains("h264", "aac");
        assertThat(Ffmpeg.run("ffmpeg", "-nostdin", "-v", "error", "-i", playlist, "-f", "null", "-"))
                .isEmpty();
        String file = files(edge, stream).get(0);
        String uri = Https.uri(edge, "/live/" + stream + "/" + file).toString();
        String certificate = Running.certificate().toString();
        String length = Ffmpeg.run(
                "curl", "-sS", "--fail", "--cacert", certificate, "-o", "/dev/null", "-w", "%{size_download}", uri);
        assertThat(length).isEqualTo(Integer.toString(fetch(edge, stream, file).length));
    }

    @Test
    void shouldReportTheDurationOfAudioOnlyChunks() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            String sound = " -map 0:a -c:a aac -b:a 96k -f hls -hls_time 2 -hls_list_size 0 ";
            String command = "ffmpeg -hide_banner -nostdin -loglevel warning -y -f lavfi"
                    + " -i anoisesrc=duration=11:color=pink:sample_rate=44100" + sound + folder + "/i.m3u8" + sound
                    + "-method PUT https://localhost:" + running.ingest().getPort() + "/ingest/cam/i.m3u8";
            running.opened(Ffmpeg.start(List.of(command.split(" ")))).finish();

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            List<Double> said = durations(playlist(edge.address(), "cam"));
            List<Double> made = durations(Files.readString(folder.toPath().resolve("i.m3u8")));
            assertThat(said).hasSameSizeAs(made).hasSizeGreaterThan(4);
            for (int i = 0; i < made.size() - 1; i++) {
                assertThat(said.get(i)).as("chunk %d of %s", i, said).isCloseTo(made.get(i), within(0.01));
            }
            assertThat(playlist(edge.address(), "cam")).doesNotContain("DISCONTINUITY");
        }
    }

    private static List<Double> durations(String playlist) {
        return Pattern.compile("#EXTINF:([0-9.]+),")
                .matcher(playlist)
                .results()
                .map(found -> Double.valueOf(found.group(1)))
                .toList();
    }

    @Test
    void shouldKeepAStreamWhoseSegmentsAreLongerThanTheSourceTimeout() {
        try (Running running = new Running("tcp", "livestream.ingest.source-timeout = 700 ms")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            String place = "https://localhost:" + running.ingest().getPort() + "/ingest/cam/i.m3u8";
            // ffmpeg pushes a file every two seconds.
            running.opened(Ffmpeg.push(14, "2", "[f=hls:hls_time=4:hls_list_size=0:method=PUT]" + place))
                    .finish();

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            assertThat(files(edge.address(), "cam")).hasSize(4);
            assertThat(playlist(edge.address(), "cam")).doesNotContain("DISCONTINUITY");
        }
    }

    /** Uses the automatically reconnecting ffmpeg commands from docs/live-video.md. */
    @Test
    void shouldContinueWithTheSameFfmpegAfterARelayRestart() {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            String ingest = "https://localhost:" + running.ingest().getPort() + "/ingest/";
            List<String> files = new ArrayList<>(Ffmpeg.source(90, "2"));
            files.addAll(List.of("-f", "hls", "-hls_time", "2", "-ignore_io_errors", "1", "-method", "PUT"));
            files.add(ingest + "files/i.m3u8");
            List<String> endless = new ArrayList<>(Ffmpeg.source(90, "2"));
            endless.addAll(List.of("-f", "fifo", "-fifo_format", "mpegts", "-format_opts", "method=POST"));
            endless.addAll(List.of("-attempt_recovery", "1", "-recover_any_error", "1", "-recovery_wait_time", "1"));
            endless.addAll(List.of("-restart_with_keyframe", "1", "-drop_pkts_on_overflow", "1"));
            endless.add(ingest + "endless.ts");
            List<Ffmpeg> sources = List.of(running.opened(Ffmpeg.start(files)), running.opened(Ffmpeg.start(endless)));
            for (String stream : List.of("files", "endless")) {
                AwaitConnected.until(() -> files(edge.address(), stream).size() >= 2);
            }

            running.killRelay();
            AwaitConnected.until(() -> !edge.isConnected());
            running.startRelay();

            for (String stream : List.of("files", "endless")) {
                await().untilAsserted(() -> assertThat(playlist(edge.address(), stream))
                        .as("the playlist of %s", stream)
                        .contains("#EXT-X-DISCONTINUITY\n"));
            }
            for (Ffmpeg source : sources) {
                assertThat(source.isAlive()).as(source.said()).isTrue();
            }
        }
    }

    @Test
    void shouldContinueWithAnotherFfmpegWhenOneIsKilledWithinAChunk() {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            String place = "[f=mpegts:method=POST]https://localhost:"
                    + running.ingest().getPort() + "/ingest/cam.ts";
            Ffmpeg first = running.opened(Ffmpeg.push(60, "3", place));
            Emulated.awaitFiles(edge.address(), "cam", 2);
            AwaitConnected.until(() -> running.relay().isWriting("cam"));
            first.kill();
            AwaitConnected.until(
                    () -> running.relay().streams().counters().truncations.sum() == 1);
            int before = files(edge.address(), "cam").size();

            running.opened(Ffmpeg.push(60, "3", place));

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-DISCONTINUITY\n");
            AwaitConnected.until(() -> files(edge.address(), "cam").size() > before);
            assertThat(playlist(edge.address(), "cam")).doesNotContain("ENDLIST");
        }
    }
}
