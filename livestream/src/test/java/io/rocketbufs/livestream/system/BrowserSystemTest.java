package io.rocketbufs.livestream.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import io.rocketbufs.web.Chromium;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests that play streams from the real ffmpeg in a real browser. Both transports are tested concurrently to save time.
 */
@Tag("once")
@Isolated // other tests would disturb smooth playback
final class BrowserSystemTest {
    private static final long SAMPLE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final double SECOND_NS = 1e9;
    private static final String STATE = "({time: document.getElementById('video').currentTime,"
            + " dropped: document.getElementById('video').getVideoPlaybackQuality().droppedVideoFrames,"
            + " shown: document.getElementById('video').getVideoPlaybackQuality().totalVideoFrames,"
            + " latency: isFinite(player.latency) ? player.latency : -1,"
            + " errors: player.errors.join()})";

    @TempDir(cleanup = CleanupMode.NEVER) // remaining Chromium processes may still be writing to the directory
    File profile;

    @Test
    @Timeout(600)
    void shouldPlayInABrowser() throws IOException {
        // Waits only until the video has advanced, because its smoothness depends on the machine, which encodes and
        // decodes two streams in software.
        for (WatchPage watch : play(120, page -> page.advanced() >= 4).values()) {
            assertThat(watch.advanced()).as(watch.toString()).isGreaterThanOrEqualTo(4);
        }
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void shouldPlayForAMinuteWithoutDroppedFramesAndWithAtMostFiveSecondsOfLatency() throws IOException {
        for (WatchPage watch : play(60, page -> false).values()) {
            assertThat(watch.advanced()).as(watch.toString()).isGreaterThanOrEqualTo(58);
            assertThat(watch.longestStall).as(watch.toString()).isLessThanOrEqualTo(1);
            assertThat(watch.dropped).as(watch.toString()).isZero();
            assertThat(watch.latency).as(watch.toString()).isBetween(0.0, 5.0);
        }
    }

    /** Plays for a number of seconds, or until every page satisfies the condition. */
    private Map<String, WatchPage> play(int seconds, Predicate<WatchPage> isEnough) throws IOException {
        Map<String, WatchPage> watches = new LinkedHashMap<>();
        try (Running tcp = new Running("tcp");
                Running rdma = new Running("rdma");
                Chromium chromium = new Chromium(profile)) {
            Edge edges[] = {tcp.edge(), rdma.edge()};
            AwaitConnected.of(edges);
            String place = "[f=mpegts:method=POST]https://localhost:%d/ingest/cam.ts";
            Ffmpeg ffmpeg = tcp.opened(Ffmpeg.push(
                    seconds + 60,
                    "1",
                    place.formatted(tcp.ingest().getPort()),
                    place.formatted(rdma.ingest().getPort())));
            Emulated.awaitFiles(edges[0].address(), "cam", 2);
            watches.put("tcp", new WatchPage(chromium.open(Https.uri(edges[0].address(), "/watch/cam"))));
            watches.put("rdma", new WatchPage(chromium.open(Https.uri(edges[1].address(), "/watch/cam"))));
            watches.values().forEach(WatchPage::awaitPlaying);
            long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            watches.values().forEach(WatchPage::begin);
            while (System.nanoTime() < endNs && !watches.values().stream().allMatch(isEnough)) {
                watches.values().forEach(WatchPage::sample);
                LockSupport.parkNanos(SAMPLE_NS);
            }
            for (Map.Entry<String, WatchPage> watch : watches.entrySet()) {
                watch.getValue().keepPictures(watch.getKey());
            }
            assertThat(ffmpeg.isAlive()).as(ffmpeg.said()).isTrue();
            watches.forEach((transport, watch) -> System.out.println(transport + ": " + watch));
        }
        return watches;
    }

    /** A page that plays a stream. */
    private static final class WatchPage {
        private final Chromium.Tab tab;
        private double startTime;
        private double time;
        private long movedNs;
        private double longestStall;
        private int droppedBefore;
        private int dropped;
        private double latency;
        private String errors = "";

        WatchPage(Chromium.Tab tab) {
            this.tab = tab;
        }

        void awaitPlaying() {
            await().untilAsserted(() -> {
                Config all = tab.evaluate(STATE);
                assertThat(all.hasPath("result.value.time") ? all.getDouble("result.value.time") : 0)
                        .as(all.toString())
                        .isGreaterThan(1);
            });
        }

        void begin() {
            sample();
            startTime = time;
            droppedBefore += dropped;
            dropped = 0;
            longestStall = 0;
            movedNs = System.nanoTime();
        }

        void sample() {
            Config state = tab.evaluate(STATE).getConfig("result.value");
            double now = state.getDouble("time");
            long nowNs = System.nanoTime();
            longestStall = Math.max(longestStall, (nowNs - movedNs) / SECOND_NS);
            if (now > time) {
                movedNs = nowNs;
            }
            time = now;
            dropped = state.getInt("dropped") - droppedBefore;
            latency = state.getDouble("latency");
            errors = state.getString("errors");
        }

        double advanced() {
            return time - startTime;
        }

        /**
         * Takes two different screenshots and checks that the first one has many colours. On a busy machine, the
         * picture may freeze before it changes.
         */
        void keepPictures(String name) throws IOException {
            Path folder = Files.createDirectories(Path.of("target", "browser"));
            byte[] first = tab.screenshot();
            byte[] second = await().until(tab::screenshot, picture -> !Arrays.equals(picture, first));
            Files.write(folder.resolve(name + "-1.png"), first);
            Files.write(folder.resolve(name + "-2.png"), second);
            assertThat(colours(first)).isGreaterThan(100);
        }

        private static int colours(byte[] png) throws IOException {
            var image = ImageIO.read(new ByteArrayInputStream(png));
            Set<Integer> colours = new HashSet<>();
            for (int x = 0; x < image.getWidth(); x += 4) {
                for (int y = 0; y < image.getHeight(); y += 4) {
                    colours.add(image.getRGB(x, y));
                }
            }
            return colours.size();
        }

        @Override
        public String toString() {
            return String.format(
                    "advanced %.1f s, longest stall %.2f s, dropped %d frames, %.1f s behind, errors: %s",
                    advanced(), longestStall, dropped, latency, errors);
        }
    }
}
