package io.rocketbufs.benchmarks.rdma;

import com.typesafe.config.Config;
import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketnet.Right;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A measurement of reads and additions that access another node's memory without involving that node's application.
 * Each measurement uses its own connection.
 *
 * <p><b>Thread-safety:</b> used by one thread.
 */
final class RemotePath implements JavaMeasurement {
    private static final int LEAST_LENGTH = 1 << 20;
    private static final int LEAST_SLOTS = 4;
    private static final long PATIENCE_S = 15;

    private final InetSocketAddress address;
    private final RocketBufs owning;
    private final RocketBufs using;

    /**
     * Opens both nodes in this process.
     *
     * @param address an address to listen on
     */
    RemotePath(String address, Config config) {
        this.address = new InetSocketAddress(address, 0);
        this.owning = RocketBufs.open(config);
        this.using = RocketBufs.open(config);
    }

    @Override
    public double measure(Quantity quantity, int size, long durationMs) throws Exception {
        int slots = Math.max(LEAST_LENGTH / size, LEAST_SLOTS);
        int length = slots * size;
        try (MemoryPool pool = new MemoryPool(length)) {
            Region owned = pool.allocate(length);
            Region local = pool.allocate(length);
            ByteBuffer bytes = owned.window(0, length).order(ByteOrder.nativeOrder());
            for (int i = 0; i < slots; i++) {
                bytes.putLong(i * size, quantity.adds() ? 0 : i + 1);
            }
            try {
                return measure(quantity, new Fetches.Memory(local, size, slots), owned, durationMs);
            } finally {
                owned.release();
                local.release();
            }
        }
    }

    private double measure(Quantity quantity, Fetches.Memory local, Region owned, long durationMs) throws Exception {
        CompletableFuture<Connection> accepted = new CompletableFuture<>();
        CompletableFuture<Connection> connected = new CompletableFuture<>();
        try (Listener listener = new Listener(owning, address)) {
            listener.setConnectionCallback(accepted::complete);
            using.connect(listener.address(), ConnectOptions.as(Role.PEER, connected::complete))
                    .get(PATIENCE_S, TimeUnit.SECONDS);
            Connection owner = accepted.get(PATIENCE_S, TimeUnit.SECONDS);
            Connection user = connected.get(PATIENCE_S, TimeUnit.SECONDS);
            try {
                ByteBuffer description = owner.grant(
                                owned, 0, owned.length(), EnumSet.of(Right.READ, Right.ATOMIC), GrantCallback.NONE)
                        .description();
                Fetches fetches = new Fetches(quantity, local);
                RemoteMemory memory = user.remoteMemory(description, fetches);
                // From this point, the worker posts operations, so this thread must not.
                user.executeAfterControlMessages(() -> fetches.begin(memory));
                return fetches.measure(durationMs);
            } finally {
                close(user);
                close(owner);
            }
        }
    }

    private static void close(Connection connection) {
        connection.close();
        connection.closed().orTimeout(PATIENCE_S, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        using.close();
        owning.close();
    }
}
