package io.rocketbufs.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.Listener;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.Right;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The code samples about a peer's memory in docs/building-your-own.md. */
@Timeout(600)
final class RemoteMemoryTourTest {
    private static final int LENGTH = 1 << 20;

    private final RocketBufs rocketBufs = RocketBufs.open();
    private final MemoryPool pool = new MemoryPool(4L * LENGTH);
    private final List<Integer> written = new CopyOnWriteArrayList<>();
    private final List<Long> values = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Grant> granted = new CompletableFuture<>();

    @AfterEach
    void close() {
        rocketBufs.close();
        pool.close();
    }

    private void grantOn(Connection connection) {
        Region ring = pool.allocate(LENGTH);
        Set<Right> rights = Set.of(Right.WRITE, Right.READ, Right.ATOMIC);
        Grant grant = connection.grant(ring, 0, LENGTH, rights, (number, length) -> written.add(number));
        connection.sendControlMessage(grant.description());
        ring.release(); // the grant holds its own lease
        granted.complete(grant);
    }

    private RemoteMemoryCallback callback() {
        return new RemoteMemoryCallback() {
            @Override
            public void onCompleted(long context, long value) {
                values.add(value);
            }
        };
    }

    @Test
    void shouldUseTheMemoryOfAPeer() throws Exception {
        Listener listener = new Listener(rocketBufs, new InetSocketAddress("127.0.0.1", 0));
        listener.setConnectionCallback(this::grantOn);
        CompletableFuture<RemoteMemory> opened = new CompletableFuture<>();
        ConnectOptions options = ConnectOptions.as(
                Role.PEER,
                connection -> connection.setControlMessageCallback(message -> {
                    opened.complete(connection.remoteMemory(message, callback()));
                }));
        rocketBufs.connect(listener.address(), options).get(10, TimeUnit.SECONDS);
        RemoteMemory remote = opened.get(10, TimeUnit.SECONDS);
        Region local = pool.allocate(LENGTH);
        ByteBuffer window = local.window(0, LENGTH);

        window.putLong(0, 42);
        Posted posted = remote.write(local, 0, 8, 4096, 7); // the owner is notified of number 7
        remote.read(4096, 8, local, 8, 0); // sees the earlier writes
        remote.fetchAdd(0, 5, 0);
        if (posted == Posted.NO_WINDOW) {
            throw new IllegalStateException("try again after onSpace");
        }

        await().until(() -> values.size() == 2);
        assertThat(values).containsExactly(8L, 0L);
        assertThat(window.getLong(8)).isEqualTo(42);
        assertThat(written).containsExactly(7);

        Grant grant = granted.join();
        Revocation how = grant.revoke(2000).get(10, TimeUnit.SECONDS); // no operation can reach the memory now

        assertThat(how).isEqualTo(Revocation.CONFIRMED);
        assertThat(remote.fetchAdd(0, 5, 0)).isEqualTo(Posted.CLOSED);
        local.release();
    }
}
