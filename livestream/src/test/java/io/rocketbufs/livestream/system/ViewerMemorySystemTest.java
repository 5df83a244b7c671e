package io.rocketbufs.livestream.system;

import static io.rocketbufs.livestream.system.Emulated.awaitFiles;
import static io.rocketbufs.livestream.system.Emulated.push;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.livestream.Running;
import io.rocketbufs.livestream.edge.Edge;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A test of the memory that viewers use outside the heap, which can be measured only for the whole process. */
@Tag("once")
@Isolated
final class ViewerMemorySystemTest {
    @Test
    void shouldBufferOnlyOneResponseForAViewerThatDoesNotRead() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            long before = NettyMemory.used();
            String many = HttpSocket.getRequest("/web/hls.min.js").repeat(50);
            for (int i = 0; i < 20; i++) {
                running.opened(new HttpSocket(edge.address())).write(many);
            }
            String metrics = HttpSocket.getRequest("/metrics").repeat(2000);
            for (int i = 0; i < 20; i++) {
                running.opened(new HttpSocket(running.ingest())).write(metrics);
            }
            assertThat(running.opened(new HttpSocket(edge.address()))
                            .get("/health/live")
                            .answer())
                    .isEqualTo("200 live");
            // All responses combined would need more than 300 MB. One response for each viewer, plus the data in
            // flight, needs about a twentieth of this amount.
            long used = NettyMemory.settled() - before;
            assertThat(used).as("bytes in use").isLessThan(60L << 20);
        }
    }

    @Test
    void shouldReleaseAllMemoryWhenViewersConnectAndDisconnect() throws IOException {
        try (Running running = new Running("tcp")) {
            Edge edge = running.edge();
            AwaitConnected.of(edge);
            push(running.ingest(), "cam", 0);
            awaitFiles(edge.address(), "cam", 1);
            String file = "/live/cam/" + Emulated.files(edge.address(), "cam").get(0);
            comeAndGo(edge, file, 50);
            long before = NettyMemory.settled();
            comeAndGo(edge, file, 400);
            AwaitConnected.until(() -> edge.viewerCount() <= 1);
            // The allocator retains one or two pieces; each leaked connection would retain at least one.
            assertThat(NettyMemory.settled() - before).isLessThan(8L << 20);
        }
    }

    private static void comeAndGo(Edge edge, String file, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (HttpSocket viewer = new HttpSocket(edge.address())) {
                viewer.get(file);
                if (i % 2 == 0) {
                    assertThat(viewer.get("/health/live").answer()).startsWith("200 ");
                }
                // The other viewers disconnect in the middle of the response.
            }
        }
    }
}
