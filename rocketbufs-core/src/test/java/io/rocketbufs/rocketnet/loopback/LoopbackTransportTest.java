package io.rocketbufs.rocketnet.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.Worker;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of the behaviour that both kinds of loopback transport share. */
@Timeout(600)
class LoopbackTransportTest {
    static Stream<LoopbackOptions> natures() {
        return Stream.of(LoopbackOptions.socket(), LoopbackOptions.oneSided());
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldDeliverWritesAndControlMessagesInOrder(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            assertThat(pair.client.write(7, 0, 100)).isIn(PostResult.SENT, PostResult.POSTED);
            assertThat(pair.client.send("hello")).isEqualTo(PostResult.SENT);
            assertThat(pair.client.write(8, 100, 50)).isIn(PostResult.SENT, PostResult.POSTED);
            assertThat(pair.client.write(9, 150, 0)).isIn(PostResult.SENT, PostResult.POSTED);
            pair.awaitQuiet();
            assertThat(pair.server.arrivals())
                    .containsExactly("arrived 7 100", "control hello", "arrived 8 50", "arrived 9 0");
            assertThat(pair.server.received()).isEqualTo(150);
            assertThat(pair.server.events().get(pair.server.events().size() - 1))
                    .isEqualTo("arrivalsEnd");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldCarryBothDirectionsWhenBothSidesWrite(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.client.write(1, 0, 10);
            pair.server.write(2, 0, 20);
            pair.awaitQuiet();
            assertThat(pair.server.arrivals()).containsExactly("arrived 1 10");
            assertThat(pair.client.arrivals()).containsExactly("arrived 2 20");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldRefuseToConnectWithoutAListener(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.listener.close();
            assertRefused(pair, pair.listener.address());
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldRefuseToConnectOnRequest(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.network.refuseConnects(true);
            assertRefused(pair, pair.listener.address());
            pair.network.refuseConnects(false);
            pair.connectAnother();
            assertThat(pair.network.links()).hasSize(2);
        }
    }

    private static void assertRefused(LoopbackPair pair, InetSocketAddress address) {
        CompletableFuture<?> future = pair.clientTransport.connect(address, pair.anotherPeer()::established);
        assertThatThrownBy(future::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(Code.NO_LISTENER));
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldFailTheConnectWhenItsAcceptorThrows(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            LoopbackPeer accepted = pair.anotherPeer();
            InetSocketAddress address = pair.listen(accepted);
            CompletableFuture<?> future = pair.clientTransport.connect(address, connection -> {
                throw new IllegalStateException("too late");
            });
            assertThatThrownBy(future::join)
                    .cause()
                    .isInstanceOf(TransportException.class)
                    .hasRootCauseMessage("too late");
            pair.awaitQuiet();
            assertThat(accepted.events()).containsExactly("failed PEER_LOST", "closed");
        }
    }

    @Test
    void shouldRefuseAnAddressThatIsInUse() {
        try (LoopbackPair pair = new LoopbackPair(LoopbackOptions.socket())) {
            assertThatThrownBy(() -> pair.clientTransport.listen(pair.listener.address(), pair.server::established))
                    .isInstanceOfSatisfying(
                            TransportException.class, e -> assertThat(e.code()).isEqualTo(Code.ADDRESS_IN_USE));
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldNotifyThePeerWhenFinished(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.client.write(1, 0, 10);
            pair.client.connection().finish();
            pair.awaitQuiet();
            assertThat(pair.server.events()).endsWith("peerFinished");
            assertThat(pair.server.write(2, 0, 10)).isNotEqualTo(PostResult.CLOSED);
            pair.awaitQuiet();
            assertThat(pair.client.arrivals()).containsExactly("arrived 2 10");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldNotFailWhenBothSidesFinishBeforeTheyClose(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.client.connection().finish();
            pair.server.connection().finish();
            pair.awaitQuiet();
            pair.client.onWorker(pair.client.connection()::close);
            pair.server.onWorker(pair.server.connection()::close);
            pair.awaitQuiet();
            assertThat(pair.client.events()).containsExactly("peerFinished", "closed");
            assertThat(pair.server.events()).containsExactly("peerFinished", "closed");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldFailTheWriterWhenThePeerHasClosed(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.client.connection().finish();
            pair.awaitQuiet();
            pair.client.onWorker(pair.client.connection()::close);
            pair.server.onWorker(() -> assertThat(pair.server.write(2, 0, 10)).isEqualTo(PostResult.CLOSED));
            pair.awaitQuiet();
            assertThat(pair.server.events()).endsWith("peerFinished", "failed PEER_LOST", "closed");
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldLoseThePeerWhenItsTransportCloses(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.serverTransport.close();
            pair.awaitQuiet();
            assertThat(pair.server.events()).containsExactly("closed");
            assertThat(pair.client.events()).containsExactly("failed PEER_LOST", "closed");
            assertThat(pair.client.connection().worker().inWorker()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldFailTheConnectionWhenItsHandlerThrows(LoopbackOptions options) {
        try (LoopbackPair pair = new LoopbackPair(options)) {
            pair.server.onArrival(() -> {
                throw new IllegalStateException("protocol violation");
            });
            pair.client.send("nonsense");
            pair.awaitQuiet();
            assertThat(pair.server.events()).containsExactly("control nonsense", "failed PROTOCOL", "closed");
        }
    }

    @Test
    void shouldCallHandlersOnTheWorkersOnly() {
        try (LoopbackPair pair = new LoopbackPair(LoopbackOptions.oneSided())) {
            AtomicReference<String> thread = new AtomicReference<>();
            pair.server.onArrival(() -> thread.set(Thread.currentThread().getName()));
            pair.client.send("where");
            pair.awaitQuiet();
            assertThat(thread.get()).isEqualTo(pair.server.connection().worker().toString());
            assertThat(thread.get()).startsWith("rocketnet-loopback-worker-");
        }
    }

    @Test
    void shouldSpreadConnectionsOverWorkers() {
        try (LoopbackPair pair = new LoopbackPair(LoopbackOptions.socket().workers(2))) {
            LoopbackPeer second = pair.connectAnother();
            assertThat(second.connection().worker())
                    .isNotSameAs(pair.client.connection().worker());
        }
    }

    @Test
    void shouldRunTasksInOrder() {
        try (LoopbackPair pair = new LoopbackPair(LoopbackOptions.socket())) {
            List<Integer> order = new CopyOnWriteArrayList<>();
            Worker worker = pair.client.connection().worker();
            worker.execute(() -> {
                worker.execute(() -> order.add(3));
                order.add(1);
            });
            worker.execute(() -> order.add(2));
            pair.awaitQuiet();
            assertThat(order).contains(1, 2, 3).startsWith(1);
        }
    }

    @Test
    void shouldRunScheduledTasksNoEarlierThanRequested() {
        try (LoopbackPair pair = new LoopbackPair(LoopbackOptions.socket())) {
            CompletableFuture<Long> ran = new CompletableFuture<>();
            long beganNs = System.nanoTime();
            pair.client.connection().worker().schedule(() -> ran.complete(System.nanoTime()), 20);
            assertThat(ran.join() - beganNs).isGreaterThanOrEqualTo(20_000_000);
        }
    }

    @Test
    void shouldNotRunAScheduledTaskThatIsCancelled() {
        try (LoopbackPair pair = new LoopbackPair(LoopbackOptions.socket())) {
            Worker worker = pair.client.connection().worker();
            CompletableFuture<Void> after = new CompletableFuture<>();
            List<String> ran = new CopyOnWriteArrayList<>();
            // Runs on the worker, which runs no other task between the two calls. On another thread, the delay might
            // expire before the cancellation.
            pair.client.onWorker(() -> {
                Future<?> cancelled = worker.schedule(() -> ran.add("cancelled"), 1);
                cancelled.cancel(false);
                worker.schedule(() -> after.complete(null), 2);
            });
            after.join();
            assertThat(ran).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("natures")
    void shouldRunTheTasksThatAHandlerQueuesWhileTheTransportCloses(LoopbackOptions options) {
        // Enough tasks that a closing thread that does not wait would continue before the last task has run.
        int count = 10_000;
        AtomicInteger ran = new AtomicInteger();
        try (LoopbackPair pair = new LoopbackPair(options)) {
            Worker worker = pair.client.connection().worker();
            pair.client.onClosed(() -> {
                for (int i = 0; i < count; i++) {
                    worker.execute(ran::incrementAndGet);
                }
            });
            pair.clientTransport.close();
            assertThat(ran).hasValue(count);
        }
    }
}
