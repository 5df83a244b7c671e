package io.rocketbufs.rocketlog.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.typesafe.config.Config;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketlog.RunningLogBroker;
import io.rocketbufs.rocketlog.client.ConsumerLink.SegmentLink;
import io.rocketbufs.rocketlog.protocol.LogMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout;
import io.rocketbufs.rocketlog.protocol.SegmentMessageLayout.OpenedSegment;
import io.rocketbufs.rocketlog.protocol.SlotLayout;
import io.rocketbufs.rocketlog.protocol.StartKind;
import io.rocketbufs.rocketnet.Right;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(600)
final class ConsumerLinkTest {
    /** Maximum number of reads of a connection that are sent before the first of them has completed. */
    private static final int WINDOW = 64;

    private static final int LENGTH = 8192;
    private static final long CONTENT = 7;

    @TempDir
    Path folder;

    private final CompletableFuture<Connection> accepted = new CompletableFuture<>();
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region slots = pool.allocate(SlotLayout.LENGTH);
    private final Region segment = pool.allocate(LENGTH);

    private void accept(Connection connection) {
        connection.setControlMessageCallback(message -> connection.sendControlMessage(SegmentMessageLayout.opened(
                LogMessageLayout.correlation(message),
                new OpenedSegment(
                        0,
                        1,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        grant(connection, segment, LENGTH),
                        grant(connection, slots, SlotLayout.LENGTH),
                        1))));
        accepted.complete(connection);
    }

    private static ByteBuffer grant(Connection connection, Region region, int length) {
        return connection
                .grant(region, 0, length, Set.of(Right.READ), GrantCallback.NONE)
                .description();
    }

    private static SegmentLink open(ConsumerLink link) {
        return link.open(new TopicIdentity("orders"), 0, StartKind.EARLIEST, 0);
    }

    @Test
    void shouldAwaitAllReadsEvenIfTheyCompleteInAnotherOrder() throws Exception {
        segment.window(0, LENGTH).putLong(0, CONTENT);
        Region into = pool.allocate(3L * Long.BYTES);
        ByteBuffer bytes = into.window(0, 3 * Long.BYTES);
        CompletableFuture<Void> mayRespond = new CompletableFuture<>();
        Config config = RunningLogBroker.config(folder, "rocketbufs.transport = tcp");
        try (RocketBufs brokers = RocketBufs.open(config);
                RocketBufs clients = RocketBufs.open(config);
                Listener listener = new Listener(brokers, new InetSocketAddress("127.0.0.1", 0))) {
            listener.setConnectionCallback(this::accept);
            ConsumerLink link =
                    ConsumerLink.connect(clients, LogClientSettings.from(config).withBroker(listener.address()));
            SegmentLink oldest = open(link);
            SegmentLink first = open(link);
            SegmentLink second = open(link);
            accepted.join().execute(mayRespond::join);
            for (int i = 0; i < WINDOW; i++) {
                link.postRead(first, 0, Long.BYTES, into, 0);
            }
            link.postRead(second, 0, Long.BYTES, into, Long.BYTES);
            // Overtakes the read before, because memory that was opened earlier is served first when both reads wait.
            link.postRead(oldest, 0, Long.BYTES, into, 2 * Long.BYTES);
            mayRespond.complete(null);
            await().until(() -> bytes.getLong(0) == CONTENT
                    && bytes.getLong(Long.BYTES) == CONTENT
                    && bytes.getLong(2 * Long.BYTES) == CONTENT);
            open(link); // after the response, the worker has reported all reads
            CompletableFuture<Void> awaited = new CompletableFuture<>();
            Thread awaiting = new Thread(() -> {
                try {
                    link.awaitReads();
                    awaited.complete(null);
                } catch (InterruptedException | RuntimeException e) {
                    awaited.completeExceptionally(e);
                }
            });
            awaiting.start();
            assertThat(awaited).succeedsWithin(60, TimeUnit.SECONDS);
        } finally {
            mayRespond.complete(null);
            into.release();
            slots.release();
            segment.release();
            pool.close();
        }
    }
}
