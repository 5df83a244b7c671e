package io.rocketbufs.rocketnet.rdma;

import static io.rocketbufs.rocketnet.rdma.RdmaRecordingHandler.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportException.Code;
import io.rocketbufs.rocketnet.TransportListener;
import java.lang.ref.WeakReference;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of invalid addresses, of listeners, of incompatible peers, and of the cleanup of connections. */
@Timeout(600)
final class RdmaConnectingTest {
    private static void assertConnectFails(RdmaEnds ends, InetSocketAddress address, Code code, String message) {
        assertThatThrownBy(() -> ends.transport
                        .connect(address, connection -> {
                            throw new AssertionError("connected");
                        })
                        .get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code))
                .hasMessageContaining(message);
    }

    private static void assertTalk(RdmaRecordingHandler from, RdmaRecordingHandler to, String text) throws Exception {
        int before = to.events().size();
        from.writingTo(to).write(7, 100, text);
        await().until(() -> to.events().size() > before);
        assertThat(to.events()).endsWith("arrived 7 " + text.length());
        assertThat(to.text(100, text.length())).isEqualTo(text);
    }

    @Test
    void shouldReportThatThereIsNoListener() throws Exception {
        // The port is bound, so no other process can take it, but there is no listener.
        try (Socket taken = new Socket();
                RdmaEnds ends = new RdmaEnds()) {
            taken.bind(RdmaEnds.loopback(0));
            int port = taken.getLocalPort();
            assertConnectFails(
                    ends,
                    RdmaEnds.loopback(port),
                    Code.NO_LISTENER,
                    "connect to 127.0.0.1:" + port + ": Connection refused");
        }
    }

    @Test
    void shouldReportAnUnknownHostName() {
        try (RdmaEnds ends = new RdmaEnds()) {
            InetSocketAddress unknown = InetSocketAddress.createUnresolved("no-such-host.invalid", 1);
            assertConnectFails(ends, unknown, Code.UNREACHABLE, "connect to no-such-host.invalid:1: unknown host");
            assertThatThrownBy(() -> ends.listen(unknown))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(Code.UNREACHABLE))
                    .hasMessage("cannot listen on no-such-host.invalid:1: unknown host");
        }
    }

    @Test
    void shouldResolveAHostName() throws Exception {
        try (RdmaEnds ends = new RdmaEnds()) {
            int port = ends.listener.address().getPort();
            RdmaRecordingHandler client = ends.connect(InetSocketAddress.createUnresolved("localhost", port));
            assertTalk(client, ends.accepted(0), "by name");
        }
    }

    @Test
    void shouldGiveUpConnectingToAPeerThatNeverAnswers() throws Exception {
        try (RdmaEnds ends = new RdmaEnds("connect-timeout = 300 ms");
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = silent.getLocalPort();
            assertConnectFails(
                    ends,
                    RdmaEnds.loopback(port),
                    Code.TIMEOUT,
                    "connect to 127.0.0.1:" + port + ": no answer within 300 ms");
            // On a busy machine, connecting to the listener may also take longer than the timeout.
            RdmaRecordingHandler client = await().atMost(Duration.ofSeconds(50))
                    .ignoreExceptionsInstanceOf(ExecutionException.class)
                    .until(
                            () -> {
                                ends.forgetAccepted();
                                return ends.connect();
                            },
                            Objects::nonNull);
            assertTalk(client, ends.accepted(0), "lives on");
        }
    }

    @Test
    void shouldReportWhyListeningFailed() {
        try (RdmaEnds ends = new RdmaEnds()) {
            InetSocketAddress address = ends.listener.address();
            assertThatThrownBy(() -> ends.listen(address))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(Code.ADDRESS_IN_USE))
                    .hasMessage("cannot listen on 127.0.0.1:" + address.getPort() + ": the port is in use");
        }
    }

    @Test
    void shouldLeaveNothingOpenWhenListeningFails() throws Exception {
        InetSocketAddress foreign = new InetSocketAddress("192.0.2.1", 0);
        try (RdmaEnds ends = new RdmaEnds()) {
            long descriptors = descriptors();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> ends.listen(foreign))
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                failure -> assertThat(failure.code()).isEqualTo(Code.UNREACHABLE))
                        .hasMessageContainingAll("cannot listen on 192.0.2.1:0", "Cannot assign requested address");
            }
            assertThat(descriptors()).isEqualTo(descriptors);
            assertTalk(ends.connect(), ends.accepted(0), "lives on");
        }
    }

    @Test
    void shouldFreeThePortWhenAListenerCloses() throws Exception {
        try (RdmaEnds ends = new RdmaEnds()) {
            RdmaRecordingHandler client = ends.connect();
            RdmaRecordingHandler server = ends.accepted(0);
            InetSocketAddress address = ends.listener.address();
            assertThat(address.getPort()).isNotZero();
            ends.listener.close();
            ends.listener.close();
            assertConnectFails(ends, address, Code.NO_LISTENER, "connect to");
            TransportListener second = ends.listen(address);
            assertThat(second.address()).isEqualTo(address);
            assertTalk(ends.connect(address), ends.accepted(1), "another");
            assertTalk(client, server, "lives on");
        }
    }

    @Test
    void shouldUseFewThreadsForManyConnectionAttempts() throws Exception {
        int count = 100;
        try (RdmaEnds ends = new RdmaEnds()) {
            List<CompletableFuture<TransportConnection>> connecting = new ArrayList<>();
            List<RdmaRecordingHandler> clients = new ArrayList<>();
            // Connecting threads wait for this lock, so all of them still exist when they are counted.
            synchronized (ends.transport) {
                for (int i = 0; i < count; i++) {
                    RdmaRecordingHandler client = new RdmaRecordingHandler(ends.memory, RdmaEnds.CAPACITY);
                    clients.add(client);
                    connecting.add(ends.transport.connect(ends.listener.address(), client::of));
                }
                assertThat(Thread.getAllStackTraces().keySet())
                        .filteredOn(thread -> thread.getName().startsWith("rocketnet-rdma-resolver"))
                        .hasSizeBetween(1, 4);
            }
            CompletableFuture.allOf(connecting.toArray(CompletableFuture[]::new))
                    .get(60, TimeUnit.SECONDS);
            ends.accepted(count - 1);
            assertThat(connecting)
                    .extracting(CompletableFuture::join)
                    .doesNotHaveDuplicates()
                    .containsExactlyElementsOf(clients.stream()
                            .map(RdmaRecordingHandler::connection)
                            .toList());
        }
    }

    @Test
    void shouldFailConnectionsThatWaitForAThreadWhenTheTransportCloses() throws Exception {
        RdmaEnds ends = new RdmaEnds();
        List<CompletableFuture<TransportConnection>> connecting = new ArrayList<>();
        CompletableFuture<Void> closing;
        synchronized (ends.transport) {
            for (int i = 0; i < 10; i++) {
                RdmaRecordingHandler client = new RdmaRecordingHandler(ends.memory, RdmaEnds.CAPACITY);
                connecting.add(ends.transport.connect(ends.listener.address(), client::of));
            }
            closing = CompletableFuture.runAsync(ends::close);
        }
        closing.get(60, TimeUnit.SECONDS);
        for (CompletableFuture<TransportConnection> each : connecting) {
            await().until(each::isDone);
        }
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("rocketnet-rdma")));
    }

    @Test
    void shouldReportBothAddresses() throws Exception {
        try (RdmaEnds ends = new RdmaEnds()) {
            RdmaRecordingHandler client = ends.connect();
            RdmaRecordingHandler server = ends.accepted(0);
            assertThat(client.connection().remoteAddress())
                    .isEqualTo(ends.listener.address())
                    .isEqualTo(server.connection().localAddress());
            assertThat(client.connection().localAddress())
                    .isEqualTo(server.connection().remoteAddress());
        }
    }

    @Test
    void shouldListenOnAllAddressesWithAWildcardAddress() throws Exception {
        try (RdmaEnds ends = new RdmaEnds();
                TransportListener all = ends.listen(new InetSocketAddress("0.0.0.0", 0))) {
            assertThat(all.address().getPort()).isNotZero();
            RdmaRecordingHandler client =
                    ends.connect(RdmaEnds.loopback(all.address().getPort()));
            assertTalk(client, ends.accepted(0), "to any");
            assertTalk(ends.accepted(0), client, "from any");
        }
    }

    @Test
    void shouldListenOnAndConnectToAnIpv6Address() throws Exception {
        InetAddress loopback = Inet6Address.getByName("::1");
        try (RdmaEnds ends = new RdmaEnds();
                TransportListener six = ends.listen(new InetSocketAddress(loopback, 0))) {
            assertThat(six.address().getAddress()).isEqualTo(loopback);
            RdmaRecordingHandler client = ends.connect(six.address());
            assertThat(client.connection().remoteAddress()).isEqualTo(six.address());
            assertTalk(client, ends.accepted(0), "sixteen");
        }
    }

    @Test
    void shouldSurvivePeersThatSendArbitraryData() throws Exception {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        try (RdmaEnds ends = new RdmaEnds()) {
            RdmaRecordingHandler client = ends.connect();
            RdmaRecordingHandler server = ends.accepted(0);
            List<Socket> open = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                Socket stranger = ends.connectRaw();
                byte[] bytes = new byte[random.nextInt(2_000)];
                random.nextBytes(bytes);
                stranger.getOutputStream().write(bytes);
                if (i % 3 == 0) {
                    stranger.setSoLinger(true, 0);
                }
                if (i % 3 == 2) {
                    open.add(stranger);
                } else {
                    stranger.close();
                }
                assertTalk(client, server, "undisturbed " + i);
            }
            assertTalk(ends.connect(), ends.accepted(1), "after strangers");
            for (Socket stranger : open) {
                stranger.close();
            }
            assertThat(ends.acceptedCount()).isEqualTo(2);
        }
    }

    @Test
    void shouldConnectWhileAStrangerIsSilent() throws Exception {
        try (RdmaEnds ends = new RdmaEnds();
                Socket silent = ends.connectRaw()) {
            assertThat(silent.isConnected()).isTrue();
            assertTalk(ends.connect(), ends.accepted(0), "past the silent");
        }
    }

    @Test
    void shouldRefuseAPeerOfAnotherProtocol() throws Exception {
        try (RdmaEnds ends = new RdmaEnds();
                StrangePeer stranger = new StrangePeer()) {
            assertThat(stranger.connect(ends.listener.address(), "another protocol, well meant"))
                    .isEqualTo("refused");
            assertThat(stranger.connect(ends.listener.address(), "RB")).isEqualTo("refused");
            assertTalk(ends.connect(), ends.accepted(0), "the right one");
            assertThat(ends.acceptedCount()).isEqualTo(1);
        }
    }

    @Test
    void shouldNotConnectToAPeerOfAnotherProtocol() throws Exception {
        try (RdmaEnds ends = new RdmaEnds();
                StrangePeer stranger = new StrangePeer()) {
            InetSocketAddress address = stranger.listen("something else");
            assertConnectFails(ends, address, Code.PROTOCOL, "not a RocketBufs peer: private data of");
        }
    }

    @Test
    void shouldEndTheConnectionOfAPeerThatClaimsANegativeLength() throws Exception {
        try (RdmaEnds ends = new RdmaEnds();
                StrangePeer stranger = new StrangePeer()) {
            long endpoint = stranger.connectProperly(ends.listener.address());
            RdmaRecordingHandler server = ends.accepted(0);
            stranger.write(endpoint, server.granted(), -8L << Integer.SIZE | 7);
            assertThat(server.awaitFailure()).startsWith("PROTOCOL").endsWith("received a write of -8 bytes");
            assertThat(server.events()).containsExactly("failed PROTOCOL", "closed");
            assertTalk(ends.connect(), ends.accepted(1), "undisturbed");
        }
    }

    @Test
    void shouldCloseConnectionsThatTheAcceptorRefuses() throws Exception {
        MemoryPool memory = new MemoryPool(1 << 20);
        try (Transport transport = new RdmaTransportProvider().open(RdmaEnds.config(ConfigFactory.load()));
                TransportListener listener = transport.listen(RdmaEnds.loopback(0), connection -> {
                    throw new IllegalStateException("not you");
                })) {
            RdmaRecordingHandler client = new RdmaRecordingHandler(memory, 4096);
            transport.connect(listener.address(), client::of).get(60, TimeUnit.SECONDS);
            assertThat(client.awaitFailure()).startsWith("PEER_LOST");
            assertThatThrownBy(() -> transport
                            .connect(listener.address(), connection -> {
                                throw new IllegalStateException("nor you");
                            })
                            .get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("nor you");
        }
    }

    /** In this test, both ends of a connection belong to the same transport, and both count towards the limit. */
    @Test
    void shouldRefuseConnectionsAboveTheLimitAndKeepTheOthers() throws Exception {
        try (RdmaEnds ends = new RdmaEnds("max-connections = 5")) {
            List<RdmaRecordingHandler> clients = List.of(ends.connect(), ends.connect());
            // A fifth end can be created, but its peer would be the sixth, which is refused.
            assertConnectFails(ends, ends.listener.address(), Code.NO_LISTENER, "connect to");
            for (int i = 0; i < 20; i++) {
                assertConnectFails(ends, ends.listener.address(), Code.NO_LISTENER, "connect to");
            }
            for (int i = 0; i < clients.size(); i++) {
                assertTalk(clients.get(i), ends.accepted(i), "left alone");
                assertTalk(ends.accepted(i), clients.get(i), "left alone");
            }
            clients.get(0).close();
            ends.accepted(0).awaitEvent("closed");
            clients.get(0).awaitEvent("closed");
            assertTalk(ends.connect(), ends.accepted(2), "room again");
        }
        try (RdmaEnds ends = new RdmaEnds("max-connections = 2")) {
            RdmaRecordingHandler client = ends.connect();
            assertConnectFails(
                    ends,
                    ends.listener.address(),
                    Code.RESOURCES,
                    "has reached its connection limit: rocketbufs.rdma.max-connections = 2");
            assertTalk(client, ends.accepted(0), "left alone");
        }
    }

    @Test
    void shouldReleaseAllResourcesOfClosedConnections() throws Exception {
        try (RdmaEnds ends = new RdmaEnds("connect-timeout = 1 day")) {
            WeakReference<Object> first = openAndClose(ends, 0, 20);
            long descriptors = descriptors();
            long memory = ends.memory.allocatedLength();
            openAndClose(ends, 20, 220);
            await().untilAsserted(() -> assertThat(descriptors()).isLessThanOrEqualTo(descriptors));
            await().untilAsserted(
                            () -> assertThat(ends.memory.allocatedLength()).isEqualTo(memory));
            ends.forgetAccepted();
            await().until(() -> {
                System.gc();
                return first.get() == null;
            });
        }
    }

    private static WeakReference<Object> openAndClose(RdmaEnds ends, int from, int to) throws Exception {
        WeakReference<Object> first = null;
        for (int i = from; i < to; i++) {
            RdmaRecordingHandler client = ends.connect();
            first = first == null ? new WeakReference<>(client.connection()) : first;
            client.close();
            client.awaitEvent("closed");
            ends.accepted(i).awaitEvent("closed");
        }
        return first;
    }

    private static long descriptors() throws Exception {
        try (Stream<Path> paths = Files.list(Path.of("/proc/self/fd"))) {
            return paths.count();
        }
    }
}
