package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.playlist;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.process.ShiftedClock;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests in which the clock of a machine that runs a relay or an edge changes. */
@Tag("once")
@Timeout(600)
final class ClockSystemTest {
    private static final String START = "#EXT-X-PROGRAM-DATE-TIME:";

    @TempDir
    Path folder;

    @Test
    void shouldAdvanceEvenlyWhenTheClockIsSetBackAndForth() throws Exception {
        ShiftedClock relaysClock = new ShiftedClock(folder.resolve("relay"));
        ShiftedClock edgesClock = new ShiftedClock(folder.resolve("edge"));
        String[] relayCommand = {"relay", "--set", "livestream.relay.port=0", "--set", "livestream.ingest.port=0"};
        try (LivestreamProcess relay = LivestreamProcess.start(List.of(), relaysClock.environment(), relayCommand)) {
            String ready = relay.readLine();
            String place = "https://localhost:" + LivestreamProcess.port(ready, "ingest") + "/ingest/cam.ts";
            String[] edgeCommand = {
                "edge",
                "--set",
                "livestream.edge.port=0",
                "--set",
                "livestream.relay.address=127.0.0.1:" + LivestreamProcess.port(ready, "relay")
            };
            try (LivestreamProcess edge = LivestreamProcess.start(List.of(), edgesClock.environment(), edgeCommand);
                    Ffmpeg source = Ffmpeg.push(120, "2", "[f=mpegts:method=POST]" + place)) {
                InetSocketAddress viewers = edge.awaitReady("edge");
                AwaitConnected.until(() -> files(viewers, "cam").size() >= 2);
                try (Ffmpeg player = Ffmpeg.start(List.of(
                        "ffmpeg",
                        "-nostdin",
                        "-v",
                        "error",
                        "-i",
                        Https.uri(viewers, "/live/cam/index.m3u8").toString(),
                        "-t",
                        "22",
                        "-f",
                        "null",
                        "-"))) {
                    Dates dates = new Dates(viewers);
                    dates.awaitMore(1);
                    for (Duration shift : List.of(Duration.ofHours(-1), Duration.ofDays(1), Duration.ofDays(-400))) {
                        relaysClock.set(shift);
                        edgesClock.set(shift);
                        dates.awaitMore(3);
                    }
                    assertThat(player.finish()).isEmpty();
                    dates.assertEven();
                }
                assertThat(source.isAlive()).as(source.said()).isTrue();
                assertThat(playlist(viewers, "cam")).doesNotContain("DISCONTINUITY", "ENDLIST");
            }
        }
        // Proves that the processes have actually read a shifted time.
        assertThat(relaysClock.readCount()).isPositive();
        assertThat(edgesClock.readCount()).isPositive();
    }

    /** The start times of the chunks in playlists. */
    private static final class Dates {
        private final InetSocketAddress edge;
        private final TreeMap<Integer, Instant> byNumber = new TreeMap<>();

        Dates(InetSocketAddress edge) {
            this.edge = edge;
        }

        void awaitMore(int count) {
            int wanted = count + (byNumber.isEmpty() ? 0 : last());
            AwaitConnected.until(() -> {
                look();
                return !byNumber.isEmpty() && last() >= wanted;
            });
        }

        private int last() {
            return byNumber.lastKey();
        }

        private void look() {
            Instant start = null;
            Duration since = Duration.ZERO;
            for (String line : playlist(edge, "cam").split("\n")) {
                if (line.startsWith(START)) {
                    start = Instant.parse(line.substring(START.length()));
                    since = Duration.ZERO;
                } else if (line.startsWith("#EXTINF:")) {
                    double seconds = Double.parseDouble(line.substring("#EXTINF:".length(), line.length() - 1));
                    since = since.plusMillis(Math.round(seconds * 1000));
                } else if (line.endsWith(".ts")) {
                    Duration length = since;
                    Instant begun = start;
                    byNumber.computeIfAbsent(number(line), first -> begun.plus(length));
                }
            }
        }

        private static int number(String file) {
            return Integer.parseInt(file.replaceAll(".*-([0-9]+)\\.ts", "$1"));
        }

        /** Checks that each chunk is recent, and later than the previous one. */
        void assertEven() {
            Instant before = Instant.MIN;
            for (Instant date : byNumber.values()) {
                assertThat(date).as(byNumber.toString()).isAfter(before);
                assertThat(Duration.between(date, Instant.now()).abs()).isLessThan(Duration.ofMinutes(2));
                before = date;
            }
            assertThat(byNumber).hasSizeGreaterThan(8);
        }
    }
}
