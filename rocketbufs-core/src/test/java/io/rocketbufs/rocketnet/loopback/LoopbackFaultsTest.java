package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.PostResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of each fault with both kinds of loopback transport. */
@Timeout(600)
class LoopbackFaultsTest {
    static Stream<LoopbackOptions> natures() {
        return Stream.of(LoopbackOptions.socket(), LoopbackOptions.oneSided());
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldArriveNoEarlierThanTheLatency(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.toServer().latencyMs(30);
            long beganNs = System.nanoTime();
            pair.client.send("late");
            pair.awaitQuiet();
            assertThat(System.nanoTime() - beganNs).isGreaterThanOrEqualTo(30_000_000);
            assertThat(pair.server.arrivals()).containsExactly("control late");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldDeliverExactlyTheAllowedBytes(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.toServer().allow(25);
            pair.client.write(1, 0, 20);
            pair.client.write(2, 20, 20);
            pair.awaitQuiet();
            assertThat(pair.server.received()).isEqualTo(25);
            assertThat(pair.server.arrivals()).containsExactly("arrived 1 20");
            pair.link.toServer().allow(15);
            pair.awaitQuiet();
            assertThat(pair.server.arrivals()).containsExactly("arrived 1 20", "arrived 2 20");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldFillUpWhenHeldAndEmptyWhenResumed(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.toServer().hold();
            int count = 0;
            while (pair.client.write(count, 100 * count, 100) != PostResult.NO_WINDOW) {
                count++;
            }
            pair.awaitQuiet();
            assertThat(count).isPositive();
            assertThat(pair.server.events()).isEmpty();
            pair.link.toServer().resume();
            pair.awaitQuiet();
            pair.client.progress();
            pair.awaitQuiet();
            assertThat(pair.server.arrivals())
                    .containsExactlyElementsOf(IntStream.range(0, count)
                            .mapToObj(i -> "arrived " + i + " 100")
                            .toList());
            assertThat(pair.client.events()).contains("writable");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldMakeEachPieceVisibleBeforeTheNext(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            List<Integer> seen = Collections.synchronizedList(new ArrayList<>());
            LoopbackWorker engine =
                    options.receiverPlaces() ? pair.link.server().loopbackWorker() : pair.network.nic();
            CompletableFuture<Void> watching = new CompletableFuture<>();
            pair.link.toServer().pieces(7);
            watch(pair, engine, seen, watching);
            pair.client.write(1, 0, 70);
            watching.join();
            pair.awaitQuiet();
            assertThat(seen).contains(7, 14, 63, 70).allMatch(count -> count % 7 == 0);
        }
    }

    /** Checks the sink between any two pieces. */
    private static void watch(
            LoopbackPair pair, LoopbackWorker engine, List<Integer> seen, CompletableFuture<Void> done) {
        engine.execute(() -> {
            seen.add(pair.server.received());
            if (pair.server.received() == 70) {
                done.complete(null);
            } else {
                watch(pair, engine, seen, done);
            }
        });
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldDeliverEverythingWhenPiecesAreRandom(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.toServer().randomPieces(10);
            pair.client.write(1, 0, 1000);
            pair.client.send("after it");
            pair.awaitQuiet();
            assertThat(pair.server.received()).isEqualTo(1000);
            assertThat(pair.server.arrivals()).containsExactly("arrived 1 1000", "control after it");
        }
    }

    @Test
    void shouldReorderBetweenConnectionsOnly() {
        try (LoopbackPair pair = new LoopbackPair(LoopbackOptions.socket().seed(3))) {
            List<LoopbackPeer> clients = List.of(pair.client, pair.connectAnother(), pair.connectAnother());
            List<String> order = Collections.synchronizedList(new ArrayList<>());
            clients.forEach(client ->
                    client.peer().onArrival(() -> order.add(client.peer().lastEvent())));
            pair.network.links().forEach(link -> link.toServer().pieces(1).hold());
            pair.network.shuffle(true);
            List<String> posted = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                clients.get(i % 3).send(i % 3 + "-" + (char) ('a' + i / 3));
                posted.add("control " + i % 3 + "-" + (char) ('a' + i / 3));
            }
            pair.server.onWorker(
                    () -> pair.network.links().forEach(link -> link.toServer().resume()));
            pair.awaitQuiet();
            assertThat(order).containsExactlyInAnyOrderElementsOf(posted).isNotEqualTo(posted);
            for (int i = 0; i < 3; i++) {
                String prefix = "control " + i;
                assertThat(order.stream().filter(event -> event.startsWith(prefix)))
                        .isSorted();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldFailBothSidesAndCompleteNothingWhenCut(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.toServer().hold();
            assertThat(pair.client.write(1, 0, 10_000)).isEqualTo(PostResult.POSTED);
            pair.link.cut();
            pair.awaitQuiet();
            assertThat(pair.client.events()).containsExactly("failed PEER_LOST", "closed");
            assertThat(pair.server.events()).containsExactly("failed PEER_LOST", "closed");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldCutAfterTheGivenNumberOfBytes(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.toServer().cutAfter(150);
            pair.client.onWorker(() -> {
                pair.client.write(1, 0, 100);
                pair.client.write(2, 100, 100);
            });
            pair.awaitQuiet();
            assertThat(pair.server.received()).isEqualTo(150);
            assertThat(pair.server.arrivals()).containsExactly("arrived 1 100");
            assertThat(pair.server.events()).endsWith("failed PEER_LOST", "closed");
            assertThat(pair.client.events()).endsWith("failed PEER_LOST", "closed");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldReportNothingWhenThePeersHostVanishes(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.vanish();
            pair.client.write(1, 0, 10_000);
            pair.server.onWorker(pair.server.connection()::close);
            pair.awaitQuiet();
            assertThat(pair.client.events()).isEmpty();
            assertThat(pair.server.events()).containsExactly("closed");
            assertThat(pair.client.write(2, 0, 10_000)).isNotEqualTo(PostResult.CLOSED);
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldFinishOneDirectionWhenHalfClosed(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.client.send("last");
            pair.link.toServer().halfClose();
            pair.client.send("swallowed");
            pair.server.send("back");
            pair.awaitQuiet();
            assertThat(pair.server.events()).containsExactly("control last", "arrivalsEnd", "peerFinished");
            assertThat(pair.client.arrivals()).containsExactly("control back");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldCallWritableWithoutAReason(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.link.toServer().spuriousWritable();
            pair.awaitQuiet();
            assertThat(pair.client.events()).containsExactly("writable");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldShowLinksBeforeAnythingIsSent(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.network.onLink(link -> link.toServer().hold());
            LoopbackPeer second = pair.connectAnother();
            second.send("held");
            pair.awaitQuiet();
            assertThat(second.peer().events()).isEmpty();
        }
    }
}
