package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of reads and atomic operations under faults. */
@Timeout(600)
class LoopbackFetchTest {
    private static final LoopbackOptions OPTIONS = LoopbackOptions.oneSided().window(4);

    /** Returns the client's access to the server's source. */
    private static RemoteBuffer source(LoopbackPair pair) {
        return granted(pair, Set.of(Right.READ));
    }

    private static RemoteBuffer granted(LoopbackPair pair, Set<Right> rights) {
        return pair.client
                .connection()
                .remoteBuffer(
                        pair.server.connection().grant(pair.server.source, 0, LoopbackPeer.CAPACITY, rights),
                        LoopbackPeer.CAPACITY);
    }

    private static List<String> fetches(LoopbackPair pair) {
        return pair.client.events().stream()
                .filter(event -> event.startsWith("read") || event.startsWith("atomic"))
                .toList();
    }

    @Test
    void shouldLandInPiecesAndReportOnlyTheWhole() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            pair.link.toServer().pieces(7).allow(50);
            assertThat(pair.client.read(source(pair), 0, 100, 5)).isEqualTo(PostResult.POSTED);
            pair.awaitQuiet();
            assertThat(pair.client.received()).isEqualTo(50);
            assertThat(fetches(pair)).isEmpty();
            pair.link.toServer().resume();
            pair.awaitQuiet();
            assertThat(pair.client.received()).isEqualTo(100);
            assertThat(fetches(pair)).containsExactly("read 5");
            assertThat(pair.server.events()).isEmpty();
        }
    }

    @Test
    void shouldUseHalfOfTheWindow() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            RemoteBuffer source = source(pair);
            pair.link.toServer().hold();
            assertThat(pair.client.read(source, 0, 10, 1)).isEqualTo(PostResult.POSTED);
            assertThat(pair.client.read(source, 10, 10, 2)).isEqualTo(PostResult.POSTED);
            assertThat(pair.client.read(source, 20, 10, 3)).isEqualTo(PostResult.NO_WINDOW);
            assertThat(pair.client.write(1, 0, 10)).isEqualTo(PostResult.POSTED);
            pair.link.toServer().resume();
            pair.awaitQuiet();
            assertThat(fetches(pair)).containsExactlyInAnyOrder("read 1", "read 2");
            assertThat(pair.client.events()).contains("writable");
            assertThat(pair.client.completions()).isEqualTo(1);
        }
    }

    @Test
    void shouldReportCompletionsInAnyOrder() {
        Set<List<String>> orders = new HashSet<>();
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            RemoteBuffer remote = granted(pair, Set.of(Right.READ, Right.ATOMIC));
            while (orders.size() < 2) {
                int before = fetches(pair).size();
                pair.link.toServer().hold();
                pair.client.read(remote, 0, 10, 1);
                pair.client.fetchAdd(remote, 1, 2);
                pair.link.toServer().resume();
                pair.awaitQuiet();
                List<String> pairOfEvents = fetches(pair).subList(before, before + 2);
                orders.add(
                        pairOfEvents.stream().map(event -> event.split(" ")[0]).toList());
            }
        }
        assertThat(orders).containsExactlyInAnyOrder(List.of("read", "atomic"), List.of("atomic", "read"));
    }

    @Test
    void shouldReportNothingWhenTheLinkIsCut() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            pair.link.toServer().allow(30);
            pair.client.read(source(pair), 0, 100, 1);
            pair.awaitQuiet();
            pair.link.cut();
            pair.awaitQuiet();
            assertThat(fetches(pair)).isEmpty();
            assertThat(pair.client.events()).contains("failed PEER_LOST", "closed");
        }
    }

    @Test
    void shouldNotLandAfterTheReaderHasClosed() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            pair.link.toServer().allow(30);
            pair.client.read(source(pair), 0, 100, 1);
            pair.awaitQuiet();
            pair.client.close();
            pair.link.toServer().resume();
            pair.awaitQuiet();
            assertThat(pair.client.received()).isEqualTo(30);
            assertThat(fetches(pair)).isEmpty();
        }
    }

    @Test
    void shouldFailBothSidesWhenTheRightIsMissing() {
        try (LoopbackPair pair = new LoopbackPair(OPTIONS)) {
            pair.client.fetchAdd(source(pair), 1, 1);
            pair.awaitQuiet();
            assertThat(pair.client.events()).contains("failed PROTOCOL");
            assertThat(pair.server.events()).contains("failed PROTOCOL");
            assertThat(pair.server.sourceBytes.get(0)).isEqualTo(LoopbackPeer.byteAt(0));
        }
    }
}
