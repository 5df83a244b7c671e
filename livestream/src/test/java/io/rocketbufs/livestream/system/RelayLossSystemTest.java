package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.fetch;
import static io.rocketbufs.livestream.system.Emulated.files;
import static io.rocketbufs.livestream.system.Emulated.playlist;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("once")
final class RelayLossSystemTest {
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma", "shm"})
    void shouldEndThePlaylistWhenTheRelayDoesNotReturn(String transport) {
        try (Running running = new Running(transport)) {
            Edge edge = running.edge("livestream.edge.relay-timeout = 500 ms");
            Edge forgetful = running.edge("livestream.edge { relay-timeout = 500 ms, keep = 500 ms }");
            AwaitConnected.of(edge, forgetful);
            byte[] pushed = push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            awaitFiles(forgetful.address(), "cam", 1);

            running.killRelay();

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-ENDLIST");
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(0)))
                    .isEqualTo(pushed);
            assertThat(Https.get(edge.address(), "/health/ready").statusCode()).isEqualTo(503);
            AwaitConnected.until(
                    () -> Https.get(forgetful.address(), "/live/cam/index.m3u8").statusCode() == 404);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma", "shm"})
    void shouldContinueWhenTheRelayReturns(String transport) {
        try (Running running = new Running(transport)) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            byte[] before = push(running.ingest(), "cam", 0);
            push(running.ingest(), "cam", 1);
            awaitFiles(edge.address(), "cam", 2);
            long number = Emulated.mediaSequence(edge.address(), "cam");

            running.killRelay();
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(0)))
                    .isEqualTo(before);
            awaitMoreSecondsThanChunks(number, 2);
            running.startRelay();
            Edge late = running.edge();
            AwaitConnected.until(() -> running.relay().edgeCount() == 2);
            byte[] after = push(running.ingest(), "cam", 2);
            push(running.ingest(), "cam", 3);

            for (Edge each : List.of(edge, late)) {
                Emulated.awaitPlaylist(each.address(), "cam", "-1.ts");
                List<String> files = files(each.address(), "cam");
                assertThat(files).hasSize(2);
                assertThat(fetch(each.address(), "cam", files.get(0))).isEqualTo(after);
                assertThat(playlist(each.address(), "cam")).doesNotContain("ENDLIST");
                assertThat(Emulated.mediaSequence(each.address(), "cam"))
                        .as("media sequence number, which must be the same on all edges and higher than before")
                        .isEqualTo(Emulated.mediaSequence(late.address(), "cam"))
                        .isGreaterThan(number + 1);
            }
            assertThat(playlist(edge.address(), "cam")).contains("#EXT-X-DISCONTINUITY\n");
        }
    }

    /**
     * Waits until more seconds have passed than chunks have been pushed, because this test pushes chunks faster than a
     * real source does.
     */
    private static void awaitMoreSecondsThanChunks(long number, int chunks) {
        long year2020S = 1_577_836_800;
        AwaitConnected.until(() -> System.currentTimeMillis() / 1000 - year2020S > number + chunks);
    }

    @Test
    void shouldContinueWithoutADiscontinuityWhenTheLinkWasCutBetweenTwoChunks() throws IOException {
        try (Running running = new Running("tcp")) {
            FaultProxy proxy = running.opened(new FaultProxy(running.relay().address()));
            Edge edge = running.edgeOf(proxy.address());
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);

            proxy.cut();
            AwaitConnected.until(() -> !edge.isConnected());
            proxy.mend();
            AwaitConnected.of(edge);
            AwaitConnected.until(() -> running.relay().subscribed("cam") == 1);
            byte[] after = push(running.ingest(), "cam", 1);

            awaitFiles(edge.address(), "cam", 2);
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(1)))
                    .isEqualTo(after);
            assertThat(playlist(edge.address(), "cam")).doesNotContain("DISCONTINUITY", "ENDLIST");
        }
    }

    /**
     * Uses a proxy that temporarily stops forwarding. On systems that permit network namespaces,
     * {@link NetworkLossSystemTest} tests the same situation with a disconnected cable.
     */
    @Test
    void shouldLoseNoDataWhenTheLinkIsSilentForFiveSeconds() throws IOException {
        try (Running running = new Running("tcp")) {
            FaultProxy proxy = running.opened(new FaultProxy(running.relay().address()));
            Edge edge = running.edgeOf(proxy.address());
            AwaitConnected.of(edge);
            List<byte[]> pushed = new ArrayList<>();
            pushed.add(push(running.ingest(), "cam", 0));
            awaitFiles(edge.address(), "cam", 1);
            proxy.freeze();
            long frozenNs = System.nanoTime();
            pushed.add(push(running.ingest(), "cam", 1));
            pushed.add(push(running.ingest(), "cam", 2));
            AwaitConnected.until(() -> System.nanoTime() - frozenNs > TimeUnit.SECONDS.toNanos(5));
            assertThat(edge.isConnected()).isTrue();
            assertThat(files(edge.address(), "cam")).hasSize(1);
            proxy.thaw();
            pushed.add(push(running.ingest(), "cam", 3));
            awaitFiles(edge.address(), "cam", 4);
            for (int i = 0; i < 4; i++) {
                assertThat(fetch(
                                edge.address(),
                                "cam",
                                files(edge.address(), "cam").get(i)))
                        .isEqualTo(pushed.get(i));
            }
            assertThat(playlist(edge.address(), "cam")).doesNotContain("DISCONTINUITY", "ENDLIST");
        }
    }

    @Test
    void shouldContinueWithTheNextChunkWhenChunksWereMissed() throws IOException {
        try (Running running = new Running("tcp")) {
            FaultProxy proxy = running.opened(new FaultProxy(running.relay().address()));
            Edge edge = running.edgeOf(proxy.address());
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            long number = Emulated.mediaSequence(edge.address(), "cam");

            proxy.cut();
            AwaitConnected.until(() -> !edge.isConnected());
            push(running.ingest(), "cam", 1);
            push(running.ingest(), "cam", 2);
            proxy.mend();
            AwaitConnected.of(edge);
            AwaitConnected.until(() -> running.relay().subscribed("cam") == 1);
            byte[] after = push(running.ingest(), "cam", 3);

            Emulated.awaitPlaylist(edge.address(), "cam", "#EXT-X-MEDIA-SEQUENCE:" + (number + 3) + "\n");
            assertThat(fetch(edge.address(), "cam", files(edge.address(), "cam").get(0)))
                    .isEqualTo(after);
        }
    }

    @Test
    void shouldListAtLeastThreeChunksWhenChunksWereMissed() throws IOException {
        try (Running running = new Running("tcp")) {
            FaultProxy proxy = running.opened(new FaultProxy(running.relay().address()));
            Edge edge = running.edgeOf(proxy.address());
            AwaitConnected.of(edge);
            for (int i = 0; i < 5; i++) {
                push(running.ingest(), "cam", i);
            }
            awaitFiles(edge.address(), "cam", 5);
            long first = Emulated.mediaSequence(edge.address(), "cam");

            proxy.cut();
            AwaitConnected.until(() -> !edge.isConnected());
            push(running.ingest(), "cam", 5);
            proxy.mend();
            AwaitConnected.of(edge);
            AwaitConnected.until(() -> running.relay().subscribed("cam") == 1);
            for (int i = 6; i < 9; i++) {
                assertThat(files(edge.address(), "cam")).hasSize(5);
                assertThat(Emulated.mediaSequence(edge.address(), "cam")).isEqualTo(first);
                String newest = "\"media_sequence\":" + (first + i) + ",";
                push(running.ingest(), "cam", i);
                AwaitConnected.until(
                        () -> Https.text(edge.address(), "/api/streams").contains(newest));
            }

            assertThat(files(edge.address(), "cam")).hasSize(3);
            assertThat(Emulated.mediaSequence(edge.address(), "cam")).isEqualTo(first + 6);
        }
    }

    @Test
    void shouldKeepChunkNumbersWhenTheEdgeIsRestarted() {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            long number = Emulated.mediaSequence(edge.address(), "cam");
            edge.close();
            AwaitConnected.until(() -> running.relay().edgeCount() == 0);
            push(running.ingest(), "cam", 1);

            Edge again = running.edge();
            AwaitConnected.of(again);
            AwaitConnected.until(() -> running.relay().subscribed("cam") == 1);
            byte[] pushed = push(running.ingest(), "cam", 2);

            Emulated.awaitPlaylist(again.address(), "cam", "#EXT-X-MEDIA-SEQUENCE:" + (number + 2) + "\n");
            assertThat(fetch(
                            again.address(),
                            "cam",
                            files(again.address(), "cam").get(0)))
                    .isEqualTo(pushed);
        }
    }
}
