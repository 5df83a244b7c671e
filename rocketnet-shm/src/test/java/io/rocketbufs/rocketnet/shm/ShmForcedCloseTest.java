package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.Worker;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests of closing a transport whose users do not close their connections. Closing in the wrong order would crash the
 * JVM.
 */
@Timeout(600)
final class ShmForcedCloseTest {
    private static final int SENDERS = 16;

    /** A handler that ignores all events except arriving data and the failure of the connection. */
    private static final class Ignoring extends ShmIgnoringHandler {
        private final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);
        private final CompletableFuture<TransportException> failed = new CompletableFuture<>();

        @Override
        public void place(int immediate, int length, Vecs into) {
            into.add(memory, 0, length, 0);
        }

        @Override
        public void failed(TransportException cause) {
            failed.complete(cause);
        }
    }

    private static Transport open() {
        return new ShmTransportProvider().open(ShmEnds.config(ConfigFactory.load(), "rocketbufs.shm.num-threads = 1"));
    }

    @Test
    void shouldEndConnectionsThatThreadsAreSendingOver() throws Exception {
        List<Ignoring> peers = new CopyOnWriteArrayList<>(); // the listener adds the peers
        List<CompletableFuture<PostResult>> senders = new ArrayList<>();
        CountDownLatch closed = new CountDownLatch(1);
        try (Transport receiver = open()) {
            TransportListener listener =
                    receiver.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), connection -> {
                        peers.add(new Ignoring());
                        return peers.get(peers.size() - 1);
                    });
            Transport sender = open();
            TransportConnection last = null;
            for (int i = 0; i < SENDERS; i++) {
                TransportConnection connection = sender.connect(listener.address(), opened -> new Ignoring())
                        .get(60, TimeUnit.SECONDS);
                senders.add(CompletableFuture.supplyAsync(() -> sendUntilRefused(connection), task -> {
                    Thread thread = new Thread(task, "sender");
                    thread.setDaemon(true);
                    thread.start();
                }));
                last = connection;
            }
            // No connection can be closed while the only worker runs a callback.
            last.worker().execute(() -> awaitQuietly(closed));
            long mapped = ShmEnds.mappings();
            sender.close();
            closed.countDown();
            for (CompletableFuture<PostResult> result : senders) {
                assertThat(result.get()).isEqualTo(PostResult.CLOSED);
            }
            for (Ignoring peer : peers) {
                assertThat(peer.failed.get().code()).isEqualTo(TransportException.Code.PEER_LOST);
            }
            // None of the peers' memory remains mapped, although threads could still be writing to its addresses.
            assertThat(ShmEnds.mappings()).isEqualTo(mapped - 2 * SENDERS);
        }
    }

    @Test
    void shouldForgetAClosedConnectionWhileTheWorkerIsBusy() throws Exception {
        AtomicBoolean busy = new AtomicBoolean(true);
        try (Transport transport = open()) {
            TransportListener listener = transport.listen(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), connection -> new Ignoring());
            Worker worker = transport.workers().get(0);
            worker.execute(new Runnable() {
                @Override
                public void run() {
                    if (busy.get()) {
                        worker.execute(this);
                    }
                }
            });
            WeakReference<TransportConnection> closed = closedConnection(transport, listener);
            Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> {
                System.gc();
                return closed.get() == null;
            });
        } finally {
            busy.set(false);
        }
    }

    private static WeakReference<TransportConnection> closedConnection(Transport transport, TransportListener listener)
            throws Exception {
        TransportConnection connection =
                transport.connect(listener.address(), opened -> new Ignoring()).get(60, TimeUnit.SECONDS);
        connection.worker().execute(connection::close);
        return new WeakReference<>(connection);
    }

    private static PostResult sendUntilRefused(TransportConnection connection) {
        ByteBuffer message = ByteBuffer.allocateDirect(16_000);
        PostResult result;
        do {
            result = connection.send(message.clear());
        } while (result != PostResult.CLOSED);
        return result;
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
