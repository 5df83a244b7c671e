package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.contract.TlsFiles.certificate;
import static io.rocketbufs.contract.TlsFiles.trust;
import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.ssl.OpenSsl;
import io.rocketbufs.contract.TlsFiles;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.Worker;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of encrypted sockets whose underlying sockets have no space, or contain data that cannot be read yet. */
@Timeout(600)
@Tag("once")
final class TlsSocketTest {
    private SteeredIo steered;

    @BeforeAll
    static void loadBoringSsl() {
        OpenSsl.ensureAvailability();
    }

    private TlsEnds open(String io, ThreadPoolExecutor handshakes) {
        TlsTransportSettings settings =
                TlsTransportSettings.from(TlsFiles.with(TcpEnds.config(io), certificate("server")));
        return new TlsEnds(TcpTransport.open("tls", TcpSettings.from(TcpEnds.config(io)), below -> {
            steered = new SteeredIo(below);
            return new TlsIo(steered, settings, TlsEnds.expiry(settings), handshakes);
        }));
    }

    private static ThreadPoolExecutor handshakes() {
        return new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    }

    private static void send(TlsEnds.Client client) {
        await().until(() -> client.handler().connection().send(ByteBuffer.wrap(new byte[1])) == PostResult.SENT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldSendTheEndOfTheStreamThatHadNoSpaceWhenTheConnectionWasClosed(String io) throws Exception {
        try (TlsEnds ends = open(io, handshakes());
                TlsEnds.Client client = ends.connect(trust("ca"))) {
            send(client);
            await().untilAsserted(() -> assertThat(ends.accepted(0).events()).isNotEmpty());
            TransportConnection connection = ends.accepted(0).connection();
            steered.isFull = true;
            connection.worker().execute(() -> {
                connection.finish();
                connection.close();
                // The socket reports space before any is available.
                afterTurns(connection.worker(), 3, () -> steered.isFull = false);
            });
            await().untilAsserted(() ->
                    assertThat(client.handler().events()).last().asString().matches("finished|failed.*|closed"));
            assertThat(client.handler().events()).contains("finished").doesNotContain("closed");
        }
    }

    private static void afterTurns(Worker worker, int count, Runnable task) {
        worker.execute(count == 0 ? task : () -> afterTurns(worker, count - 1, task));
    }

    @Test
    void shouldNotReportDataThatCannotBeReadWhileAStepOfTheHandshakeWaits() throws Exception {
        ThreadPoolExecutor handshakes = handshakes();
        CountDownLatch held = new CountDownLatch(1);
        try (TlsEnds ends = open("nio", handshakes);
                Socket early = ends.connectRaw()) {
            handshakes.execute(() -> TlsEnds.hold(held));
            early.getOutputStream().write(new byte[] {0x16, 3, 1});
            await().until(() -> handshakes.getQueue().size() == 1);
            early.getOutputStream().write(new byte[100]);
            Worker worker = ends.accepted(0).connection().worker();
            for (int i = 0; i < 100; i++) {
                CompletableFuture<Void> turn = new CompletableFuture<>();
                worker.execute(() -> turn.complete(null));
                turn.get(60, TimeUnit.SECONDS);
            }
            assertThat(steered.readableCount.get()).isLessThan(10);
            held.countDown();
            assertThat(ends.accepted(0).awaitFailure()).startsWith("PROTOCOL");
        } finally {
            held.countDown();
        }
    }

    @Test
    void shouldReleaseTheMemoryOfAConnectionThatCannotBeEstablished() {
        try (MemoryPool memory = new MemoryPool(1 << 20)) {
            TcpSocket socket = (TcpSocket) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {TcpSocket.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("established")) {
                            throw new IllegalStateException("the transport is closed");
                        }
                        return null;
                    });
            assertThatThrownBy(() -> TcpConnection.open(socket, null, memory, 0, null))
                    .hasMessage("the transport is closed");
            assertThat(memory.allocatedLength()).isZero();
        }
    }
}
