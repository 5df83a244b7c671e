package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.arrival;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.TransportProvider;
import io.rocketbufs.rocketnet.Worker;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of opening, connecting and closing, and of workers. */
@Timeout(600)
abstract class TcpTransportSuite {
    private final String io;

    TcpTransportSuite(String io) {
        this.io = io;
    }

    @Test
    void shouldBeFoundByItsName() {
        assertThat(ServiceLoader.load(TransportProvider.class))
                .filteredOn(provider -> provider.name().equals("tcp"))
                .singleElement()
                .satisfies(provider ->
                        assertThat(provider.choices(TcpEnds.config(io, ""))).isEmpty());
    }

    @Test
    void shouldReportItsImplementation() {
        try (TcpEnds ends = new TcpEnds(io)) {
            assertThat(ends.transport.name()).isEqualTo("tcp");
            assertThat(ends.transport.detail()).isEqualTo(io);
        }
    }

    @Test
    void shouldNameWorkersAndDistributeConnectionsAmongThem() throws Exception {
        try (TcpEnds ends = new TcpEnds(io, "num-threads = 3")) {
            Set<Worker> workers = new HashSet<>();
            Set<String> names = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                Worker worker = ends.connect().connection().worker();
                workers.add(worker);
                CompletableFuture<String> name = new CompletableFuture<>();
                worker.execute(() -> name.complete(Thread.currentThread().getName() + worker.inWorker()));
                names.add(name.get(60, TimeUnit.SECONDS));
                assertThat(worker.inWorker()).isFalse();
            }
            assertThat(workers.size()).isGreaterThan(1);
            assertThat(names).allMatch(name -> name.matches("rocketnet-tcp-worker-[0-2]true"));
        }
    }

    @Test
    void shouldReportBothAddresses() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            TransportConnection client = ends.connect().connection();
            TransportConnection server = ends.accepted(0).connection();
            assertThat(client.remoteAddress())
                    .isEqualTo(ends.listener.address())
                    .isEqualTo(server.localAddress());
            assertThat(client.localAddress()).isEqualTo(server.remoteAddress());
        }
    }

    @Test
    void shouldReportTheAddressOfAPeerThatDisconnectsBeforeBeingAccepted() throws Exception {
        try (TcpEnds ends = new TcpEnds(io, "num-threads = 1")) {
            CountDownLatch blocked = new CountDownLatch(1);
            ends.connect().connection().worker().execute(() -> awaitQuietly(blocked));
            InetSocketAddress peer;
            try (Socket socket = ends.connectRaw()) {
                peer = (InetSocketAddress) socket.getLocalSocketAddress();
                socket.setSoLinger(true, 0);
            }
            blocked.countDown();
            assertThat(ends.accepted(1).connection().remoteAddress()).isEqualTo(peer);
            assertThat(ends.accepted(1).awaitFailure()).startsWith("PEER_LOST read from 127.0.0.1:" + peer.getPort());
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldListenOnlyOnTheRequestedAddressFamily() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            try (TransportListener four = ends.transport.listen(new InetSocketAddress("0.0.0.0", 0), this::refuse)) {
                assertThat(four.address().getAddress()).isEqualTo(InetAddress.getByName("0.0.0.0"));
                InetSocketAddress six =
                        new InetSocketAddress("::1", four.address().getPort());
                assertThatThrownBy(() -> new Socket(six.getAddress(), six.getPort()))
                        .isInstanceOf(ConnectException.class);
            }
        }
    }

    private TransportHandler refuse(TransportConnection connection) {
        throw new IllegalStateException("refused");
    }

    @Test
    void shouldResolveNamesAndRefuseUnknownOnes() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            TcpRecordingHandler handler = new TcpRecordingHandler(ends.memory, 4096);
            InetSocketAddress localhost = InetSocketAddress.createUnresolved(
                    "localhost", ends.listener.address().getPort());
            assertThat(ends.transport.connect(localhost, handler::of).get(60, TimeUnit.SECONDS))
                    .isSameAs(handler.connection());
            InetSocketAddress unknown = InetSocketAddress.createUnresolved("no-such-host.invalid", 1);
            assertConnectFails(ends, unknown, "UNREACHABLE connect to no-such-host.invalid:1: unknown host");
        }
    }

    @Test
    void shouldReportThatThereIsNoListener() throws Exception {
        // The port is bound, so no other process can take it, but there is no listener.
        try (Socket taken = new Socket();
                TcpEnds ends = new TcpEnds(io)) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = taken.getLocalPort();
            assertConnectFails(
                    ends,
                    TcpEnds.loopback(port),
                    "NO_LISTENER connect to 127.0.0.1:" + port + ": connection refused, no listener on this address");
        }
    }

    private static void assertConnectFails(TcpEnds ends, InetSocketAddress address, String expected) {
        assertThatThrownBy(() -> ends.transport
                        .connect(address, connection -> {
                            throw new AssertionError("connected");
                        })
                        .get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code() + " " + failure.getMessage())
                                .isEqualTo(expected));
    }

    @Test
    void shouldGiveUpConnectingAfterTheTimeout() throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try (TcpEnds ends = new TcpEnds(io, "connect-timeout = 300 ms");
                ServerSocket full = new ServerSocket(0, 1)) {
            InetSocketAddress address = TcpEnds.loopback(full.getLocalPort());
            fillBacklog(address, waiting);
            assertConnectFails(
                    ends, address, "TIMEOUT connect to 127.0.0.1:" + address.getPort() + ": no answer within 300 ms");
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    private static void fillBacklog(InetSocketAddress address, List<Socket> waiting) throws Exception {
        while (waiting.size() < 20) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(address, 100);
            } catch (java.net.SocketTimeoutException e) {
                return;
            }
        }
        throw new AssertionError("this system does not limit the number of waiting connections");
    }

    @Test
    void shouldReportThatThePortIsInUse() {
        try (TcpEnds ends = new TcpEnds(io)) {
            InetSocketAddress address = ends.listener.address();
            assertThatThrownBy(() -> ends.transport.listen(address, connection -> null))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.ADDRESS_IN_USE))
                    .hasMessage("cannot listen on 127.0.0.1:" + address.getPort() + ": the port is in use");
            assertThatThrownBy(() -> ends.transport.listen(new InetSocketAddress("192.0.2.1", 0), connection -> null))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.UNREACHABLE))
                    .hasMessageStartingWith("cannot listen on 192.0.2.1:0: this machine has no such address");
        }
    }

    @Test
    void shouldFreeThePortWhenAListenerCloses() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            TcpRecordingHandler client = ends.connect();
            TcpRecordingHandler server = ends.accepted(0);
            InetSocketAddress address = ends.listener.address();
            ends.listener.close();
            ends.listener.close();
            TransportListener second = ends.transport.listen(address, connection -> null);
            assertThat(second.address()).isEqualTo(address);
            second.close();
            assertConnectFails(
                    ends,
                    address,
                    "NO_LISTENER connect to 127.0.0.1:" + address.getPort()
                            + ": connection refused, no listener on this address");
            new TcpSender(client, ends.memory).write(1, bytes("lives on"));
            server.awaitEvents(arrival(1, bytes("lives on")));
        }
    }

    @Test
    void shouldCloseOnceAndNotifyThePeer() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            TcpRecordingHandler client = ends.connect();
            TcpRecordingHandler server = ends.accepted(0);
            client.connection().worker().execute(() -> {
                client.connection().close();
                client.connection().close();
            });
            client.awaitEvents("closed");
            server.awaitEvents("finished");
            assertThat(new TcpSender(client, ends.memory).tryWrite(1, bytes("x")))
                    .isEqualTo(PostResult.CLOSED);
            assertThat(client.connection().send(ByteBuffer.allocate(1))).isEqualTo(PostResult.CLOSED);
            assertThat(client.events()).containsExactly("closed");
        }
    }

    @Test
    void shouldCloseAConnectionFromWithinItsHandler() throws Exception {
        try (TcpEnds ends = new TcpEnds(
                        handler -> handler.onArrival(() -> handler.connection().close()), io);
                Socket peer = ends.connectRaw()) {
            peer.getOutputStream()
                    .write(new Frames()
                            .write(1, bytes("a"))
                            .write(2, bytes("b"))
                            .bytes());
            ends.accepted(0).awaitEvent("closed");
            assertThat(ends.accepted(0).eventsWithEnds()).containsExactly(arrival(1, bytes("a")), "closed");
        }
    }

    @Test
    void shouldReportNothingAfterACloseAtTheEndOfArrivals() throws Exception {
        try (TcpEnds ends = new TcpEnds(
                        handler ->
                                handler.onArrivalsEnd(() -> handler.connection().close()),
                        io,
                        "num-threads = 1");
                Socket peer = ends.connectRaw()) {
            TcpRecordingHandler handler = ends.accepted(0);
            Worker worker = handler.connection().worker();
            CountDownLatch blocked = new CountDownLatch(1);
            worker.execute(() -> awaitQuietly(blocked));
            peer.getOutputStream().write(new Frames().write(1, bytes("a")).bytes());
            peer.shutdownOutput();
            blocked.countDown();
            handler.awaitEvent("closed");
            CompletableFuture<Void> over = new CompletableFuture<>();
            worker.execute(() -> over.complete(null));
            over.get(60, TimeUnit.SECONDS);
            assertThat(handler.eventsWithEnds()).containsExactly(arrival(1, bytes("a")), "end", "closed");
        }
    }

    @Test
    void shouldCloseConnectionsThatTheAcceptorRefuses() throws Exception {
        try (TcpEnds ends = new TcpEnds(
                        handler -> {
                            throw new IllegalStateException("not you");
                        },
                        io);
                Socket peer = ends.connectRaw()) {
            assertThat(peer.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(() -> ends.transport
                            .connect(ends.listener.address(), connection -> {
                                throw new IllegalStateException("nor you");
                            })
                            .get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("nor you");
        }
    }

    @Test
    void shouldFailAndCloseConnectionsWhenTheTransportCloses() throws Exception {
        TcpEnds ends = new TcpEnds(io);
        TcpRecordingHandler client = ends.connect();
        TcpRecordingHandler server = ends.accepted(0);
        Worker worker = client.connection().worker();
        ends.close();
        ends.close();
        assertThat(client.events()).endsWith("failed CLOSED", "closed");
        assertThat(server.events()).endsWith("failed CLOSED", "closed");
        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("rocketnet-tcp")));

        worker.execute(() -> {
            throw new AssertionError("ran after the end");
        });
        assertThat(worker.schedule(() -> {}, 1).isDone()).isTrue();
        assertConnectFails(ends, TcpEnds.loopback(7610), "CLOSED connect to 127.0.0.1:7610: the transport is closed");
        assertThatThrownBy(() -> ends.transport.listen(TcpEnds.loopback(0), connection -> null))
                .hasMessage("cannot listen on 127.0.0.1:0: the transport is closed");
    }

    @Test
    void shouldNotReleaseTheMemoryOfAWorkerThatHangs() throws Exception {
        CompletableFuture<ByteBuffer> read = new CompletableFuture<>();
        CountDownLatch hanging = new CountDownLatch(1);
        TcpEnds ends = new TcpEnds(
                handler -> handler.onControl(message -> {
                    read.complete(message);
                    awaitQuietly(hanging);
                }),
                io,
                "num-threads = 1");
        try (Socket peer = ends.connectRaw()) {
            peer.getOutputStream().write(new Frames().control(bytes("note")).bytes());
            ByteBuffer message = read.get(60, TimeUnit.SECONDS);
            ends.close();
            assertThat(message).isEqualTo(ByteBuffer.wrap(bytes("note")));
            hanging.countDown();
            await().untilAsserted(() -> assertThat(message).isEqualTo(ByteBuffer.allocate(4)));
        } finally {
            hanging.countDown();
        }
    }

    @Test
    void shouldRefuseToCloseOnAWorker() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            ends.connect().connection().worker().execute(() -> {
                try {
                    ends.transport.close();
                    thrown.complete(null);
                } catch (IllegalStateException e) {
                    thrown.complete(e);
                }
            });
            assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void shouldRunScheduledTasksInTimeUnlessCancelled() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            Worker worker = ends.connect().connection().worker();
            CountDownLatch ran = new CountDownLatch(1);
            AtomicInteger cancelledRuns = new AtomicInteger();
            long begin = System.nanoTime();
            // Runs on the worker, so that the timer cannot expire before the cancellation.
            worker.execute(
                    () -> worker.schedule(cancelledRuns::incrementAndGet, 10).cancel(false));
            worker.schedule(ran::countDown, 20);
            assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(20_000_000);
            assertThat(cancelledRuns).hasValue(0);
        }
    }

    @Test
    void shouldLeaveNoDescriptorsOpen() throws Exception {
        try (TcpEnds ends = new TcpEnds(io)) {
            openAndClose(ends, 0, 100);
            long before = descriptors();
            openAndClose(ends, 100, 600);
            await().untilAsserted(() -> assertThat(descriptors()).isLessThanOrEqualTo(before));
        }
    }

    private static void openAndClose(TcpEnds ends, int from, int to) throws Exception {
        TcpRecordingHandler handler = new TcpRecordingHandler(ends.memory, 4096);
        for (int i = from; i < to; i++) {
            CountDownLatch closed = new CountDownLatch(1);
            TransportConnection connection =
                    ends.transport.connect(ends.listener.address(), handler::of).get(60, TimeUnit.SECONDS);
            connection.worker().execute(() -> {
                connection.close();
                closed.countDown();
            });
            closed.await();
            TcpRecordingHandler accepted = ends.accepted(i);
            accepted.connection().worker().execute(accepted.connection()::close);
        }
    }

    private static long descriptors() throws Exception {
        try (Stream<Path> paths = Files.list(Path.of("/proc/self/fd"))) {
            return paths.count();
        }
    }
}
