package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.Https.metric;
import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.playlist;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Https;
import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that no resources leak when streams, edges and connections start and end frequently. */
@Tag("once")
final class ChurnSystemTest {
    private static final String MEMORY = "rocketbufs_memory_used_bytes";
    private static final long BUFFER = 24 << 20;
    private static final byte[] ENDED = "#EXTM3U\n#EXT-X-ENDLIST\n".getBytes(StandardCharsets.UTF_8);

    @Test
    void shouldReleaseAllResourcesWhenStreamsBeginAndEnd() {
        try (Running running = new Running("tcp", "livestream.edge.keep = 0 s")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            for (int i = 0; i < 200; i++) {
                // Some streams are new to the edge; the others have just ended.
                String stream = "cam" + i % 7;
                push(running.ingest(), stream, 0);
                end(running, stream);
            }
            awaitNothingLeft(running, edge);
            byte[] pushed = push(running.ingest(), "cam0", 0);
            awaitFiles(edge.address(), "cam0", 1);
            assertThat(Emulated.fetch(
                            edge.address(),
                            "cam0",
                            Emulated.files(edge.address(), "cam0").get(0)))
                    .isEqualTo(pushed);
        }
    }

    private static void end(Running running, String stream) {
        assertThat(Https.put(running.ingest(), "/ingest/" + stream + "/index.m3u8", ENDED)
                        .statusCode())
                .isEqualTo(200);
    }

    private static void awaitNothingLeft(Running running, Edge edge) {
        AwaitConnected.until(() -> metric(edge.address(), "livestream_streams") == 0);
        for (InetSocketAddress server : new InetSocketAddress[] {edge.address(), running.ingest()}) {
            AwaitConnected.until(() -> metric(server, MEMORY) == 0);
        }
    }

    @Test
    void shouldContinueWithAtMostFourBuffersWhenTheLinkIsCutOften() throws IOException {
        cutOften(12);
    }

    @Test
    @Tag("slow")
    @Timeout(600)
    void shouldContinueWithAtMostFourBuffersWhenTheLinkIsCutHundredsOfTimes() throws IOException {
        cutOften(300);
    }

    private static void cutOften(int count) throws IOException {
        try (Running running = new Running("tcp", "livestream { edge.keep = 0 s, ingest.source-timeout = 1 minute }")) {
            FaultProxy proxy = running.opened(new FaultProxy(running.relay().address()));
            Edge edge = running.edgeOf(proxy.address(), "livestream.edge.relay-timeout = 1 minute");
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            for (int i = 1; i <= count; i++) {
                proxy.cut();
                AwaitConnected.until(() -> !edge.isConnected());
                proxy.mend();
                if (i % 3 != 0) {
                    // Waits until the edge has subscribed. Every third time, skips the wait, so that the next
                    // interruption occurs during the subscription.
                    AwaitConnected.until(() -> running.relay().subscribed("cam") == 1);
                    push(running.ingest(), "cam", i);
                    String newest =
                            "-" + running.relay().streams().states().get(0).chunks();
                    assertThat(newest).isNotEmpty();
                }
                AwaitConnected.of(edge);
                assertThat(playlist(edge.address(), "cam")).isNotEmpty().doesNotContain("ENDLIST");
                assertThat(metric(edge.address(), MEMORY)).isLessThanOrEqualTo(4 * BUFFER);
            }
            AwaitConnected.until(() -> running.relay().edgeCount() == 1);
            assertThat(metric(running.ingest(), MEMORY)).isEqualTo(BUFFER);
            AwaitConnected.until(() -> running.relay().subscribed("cam") == 1);
            push(running.ingest(), "cam", count + 1);
            end(running, "cam");
            awaitNothingLeft(running, edge);
        }
    }
}
