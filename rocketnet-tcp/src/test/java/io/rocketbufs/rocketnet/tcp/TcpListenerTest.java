package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.TcpRecordingHandler.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of a listener whose calls to {@code accept} fail. */
@Timeout(600)
final class TcpListenerTest {
    /**
     * A listening socket that fails a number of times and then accepts one connection. It reports readiness whenever
     * accepting is switched on.
     */
    private static final class FailingServer implements TcpServerSocket {
        private final IOException failure;
        private int failuresLeft;
        private boolean accepted;
        private TcpReadiness readiness;
        final List<String> calls = new CopyOnWriteArrayList<>();

        private FailingServer(IOException failure, int failures) {
            this.failure = failure;
            failuresLeft = failures;
        }

        @Override
        public InetSocketAddress address() {
            return TcpEnds.loopback(7610);
        }

        @Override
        public void register(TcpWorker worker, TcpReadiness readiness) {
            this.readiness = readiness;
            readiness.readable(false);
        }

        @Override
        public TcpSocket accept() throws IOException {
            if (failuresLeft > 0) {
                failuresLeft--;
                calls.add("failed");
                throw failure;
            }
            if (accepted) {
                return null;
            }
            accepted = true;
            calls.add("accepted");
            return new FakeSocket();
        }

        @Override
        public void accepting(boolean on) {
            calls.add(on ? "on" : "off");
            if (on) {
                readiness.readable(false);
            }
        }

        @Override
        public void close() {
            calls.add("closed");
        }
    }

    private static List<String> callsOf(FailingServer server) throws Exception {
        TcpSettings settings = TcpSettings.from(TcpEnds.config("nio"));
        try (MemoryPool memory = new MemoryPool(1 << 20)) {
            TcpWorker worker = new TcpWorker(0, new NioIo(settings).handlerFactory(), memory, 100, 0);
            List<TcpSocket> taken = new CopyOnWriteArrayList<>();
            TcpListener listener = new TcpListener(server, worker, taken::add);
            worker.execute(listener::begin);
            await().until(() -> taken.size() == 1);
            listener.close();
            listener.close();
            worker.beginEnd().get(60, TimeUnit.SECONDS);
            worker.end().get(60, TimeUnit.SECONDS);
            return server.calls;
        }
    }

    /** A real listening socket whose first {@code accept} fails because no descriptor is available. */
    private static final class ShortOfDescriptors implements TcpServerSocket {
        private final TcpServerSocket real;
        private boolean failed;

        private ShortOfDescriptors(TcpServerSocket real) {
            this.real = real;
        }

        @Override
        public InetSocketAddress address() {
            return real.address();
        }

        @Override
        public void register(TcpWorker worker, TcpReadiness readiness) throws IOException {
            real.register(worker, readiness);
        }

        @Override
        public TcpSocket accept() throws IOException {
            if (failed) {
                return real.accept();
            }
            failed = true;
            throw new IOException("accept: Too many open files");
        }

        @Override
        public void accepting(boolean on) {
            real.accepting(on);
        }

        @Override
        public void close() {
            real.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "nio"})
    void shouldAcceptAWaitingConnectionWhenDescriptorsAreAvailableAgain(String way) throws Exception {
        TcpSettings settings = TcpSettings.from(TcpEnds.config(way));
        TcpIo io = way.equals("epoll") ? new EpollIo(settings) : new NioIo(settings);
        ShortOfDescriptors server = new ShortOfDescriptors(io.listen(TcpEnds.loopback(0), 10));
        try (MemoryPool memory = new MemoryPool(1 << 20);
                Socket peer = new Socket()) {
            TcpWorker worker = new TcpWorker(0, io.handlerFactory(), memory, 100, 0);
            List<TcpSocket> taken = new CopyOnWriteArrayList<>();
            TcpListener listener = new TcpListener(server, worker, taken::add);
            worker.execute(listener::begin);
            peer.connect(server.address());
            await().until(() -> taken.size() == 1);
            taken.get(0).close();
            listener.close();
            worker.beginEnd().get(60, TimeUnit.SECONDS);
            worker.end().get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldPauseAndResumeWhenDescriptorsRunOut() throws Exception {
        FailingServer server = new FailingServer(new IOException("accept: Too many open files"), 2);
        assertThat(callsOf(server)).containsExactly("failed", "off", "on", "failed", "off", "on", "accepted", "closed");
    }

    @Test
    void shouldContinueImmediatelyWhenAPeerHasDisconnected() throws Exception {
        FailingServer server =
                new FailingServer(new IOException("accept(..) failed with error(-103): ECONNABORTED"), 2);
        assertThat(callsOf(server)).containsExactly("failed", "failed", "accepted", "closed");
    }
}
