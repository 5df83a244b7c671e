package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.TransportListener;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of connections that share completion queues, as on a device. The tcp provider reports the connection of an
 * arriving control message, but not the connection of an arriving write.
 */
@Timeout(600)
final class RdmaSharedQueueTest {
    private static final int THREADS = 4;
    private static final int CONNECTIONS_PER_THREAD = 100;
    private static final long LIMIT_S = 60;

    private final MemoryPool memory = new MemoryPool(16 << 20);

    private static RdmaTransport open(int threads) {
        RdmaSettings settings = RdmaSettings.from(RdmaEnds.config(ConfigFactory.load(), "num-threads = " + threads));
        return new RdmaTransport(
                Ofi.load(settings.library()),
                settings,
                "tcp",
                seen -> new RdmaTraits(
                        seen.immediateBytes(),
                        seen.lengthWithArrival(),
                        true,
                        seen.consumesReceive(),
                        seen.reads(),
                        seen.atomics()));
    }

    /** Connections are short-lived, so some connections end while the first messages of other connections arrive. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void shouldPassEachOfManyShortConnectionsItsOwnMessages(int workers) throws Exception {
        Queue<RdmaRecordingHandler> accepted = new ConcurrentLinkedQueue<>();
        try (RdmaTransport server = open(workers);
                RdmaTransport client = open(workers)) {
            TransportListener listener = server.listen(RdmaEnds.loopback(0), connection -> {
                RdmaRecordingHandler handler = new RdmaRecordingHandler(memory, 4096).of(connection);
                accepted.add(handler);
                return handler;
            });
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int first = i * CONNECTIONS_PER_THREAD;
                threads.add(CompletableFuture.runAsync(() -> connectAndSend(client, listener, first)));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get(2 * LIMIT_S, TimeUnit.SECONDS);
            RdmaRecordingHandler.await()
                    .untilAsserted(() -> assertThat(accepted)
                            .hasSize(THREADS * CONNECTIONS_PER_THREAD)
                            .allSatisfy(handler -> assertThat(handler.events()).endsWith("closed")));
        }
        List<String> messages = new ArrayList<>();
        for (RdmaRecordingHandler handler : accepted) {
            String message = handler.events().get(0);
            assertThat(handler.events())
                    .containsExactly(message, message + "!", "finished", "failed PEER_LOST", "closed");
            messages.add(message);
        }
        assertThat(messages).doesNotHaveDuplicates();
    }

    private void connectAndSend(RdmaTransport client, TransportListener listener, int first) {
        try {
            for (int i = first; i < first + CONNECTIONS_PER_THREAD; i++) {
                RdmaRecordingHandler handler = new RdmaRecordingHandler(memory, 4096);
                client.connect(listener.address(), handler::of).get(LIMIT_S, TimeUnit.SECONDS);
                String message = "message " + i;
                handler.connection().worker().execute(() -> {
                    send(handler, message);
                    send(handler, message + "!");
                    handler.connection().finish();
                    handler.connection().close();
                });
                handler.awaitEvents("closed");
            }
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void send(RdmaRecordingHandler handler, String message) {
        ByteBuffer bytes = ByteBuffer.wrap(message.getBytes(StandardCharsets.UTF_8));
        assertThat(handler.connection().send(bytes)).isEqualTo(PostResult.SENT);
    }
}
