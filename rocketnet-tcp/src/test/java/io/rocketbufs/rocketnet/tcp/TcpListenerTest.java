package io.rocketbufs.rocketnet.tcp;

import static io.rocketbufs.rocketnet.tcp.RecordingHandler.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.memory.MemoryPool;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a listener does about failures of accept. */
@Timeout(60)
final class TcpListenerTest {
    /** Fails so many times, then accepts one connection; reports readiness whenever accepting is switched on. */
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
            worker.beginEnd().get(10, TimeUnit.SECONDS);
            worker.end().get(10, TimeUnit.SECONDS);
            return server.calls;
        }
    }

    @Test
    void shouldPauseAndGoOnWhenDescriptorsRanOut() throws Exception {
        FailingServer server = new FailingServer(new IOException("accept: Too many open files"), 2);
        assertThat(callsOf(server)).containsExactly("failed", "off", "on", "failed", "off", "on", "accepted", "closed");
    }

    @Test
    void shouldGoOnAtOnceWhenAPeerGaveUp() throws Exception {
        FailingServer server =
                new FailingServer(new IOException("accept(..) failed with error(-103): ECONNABORTED"), 2);
        assertThat(callsOf(server)).containsExactly("failed", "failed", "accepted", "closed");
    }
}
