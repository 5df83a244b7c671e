package io.rocketbufs.rocketnet.shm;

import io.rocketbufs.ConnectOptions;
import io.rocketbufs.Connection;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Role;
import io.rocketbufs.Segment;
import io.rocketbufs.contract.PeerProcess;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.BufferOptions;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketnet.Right;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A peer that repeatedly connects, shares memory, sends and receives data, and disconnects. Its process can therefore
 * be killed in any of these phases.
 *
 * <p><b>Thread-safety:</b> confined to one thread. <b>Ownership:</b> owns the memory that it shares.
 */
final class ShmRestlessPeer implements AutoCloseable {
    static final int BUFFER = 1;
    static final long CAPACITY = 1 << 16;
    static final int LENGTH = 4_000;
    /** Number of peers in a process. */
    static final int COUNT = 10;

    private static final int MOST_BLOCKS = 100;

    private final RocketBufs rocketBufs;
    private final InetSocketAddress address;
    private final Random random;
    private final ROut out;
    private final MappedFile file = MappedFile.memory("peer", LENGTH);
    private final MappedFile words = MappedFile.words("peer", Long.BYTES);
    private final MemoryPool pool = new MemoryPool(LENGTH);
    private final Region local = pool.allocate(LENGTH);

    ShmRestlessPeer(RocketBufs rocketBufs, InetSocketAddress address, long seed) throws IOException {
        this.rocketBufs = rocketBufs;
        this.address = address;
        this.random = new Random(seed);
        this.out = new ROut(rocketBufs);
    }

    /** Runs the peers of a process until it is killed. The arguments are the settings, the port and a seed. */
    public static void main(String[] arguments) throws Exception {
        RocketBufs rocketBufs = PeerProcess.open(arguments[0]);
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1]));
        for (int i = 0; i < COUNT; i++) {
            ShmRestlessPeer peer = new ShmRestlessPeer(rocketBufs, address, Long.parseLong(arguments[2]) + i);
            new Thread(peer::run, "peer " + i).start();
        }
        System.out.println(PeerProcess.READY);
    }

    private void run() {
        try {
            while (true) {
                connectAndDisconnect();
            }
        } catch (Exception e) {
            throw new IllegalStateException("a peer failed before its process was killed", e);
        }
    }

    /** Connects, exchanges data until an answer has arrived, reads the other side's file, and disconnects. */
    void connectAndDisconnect() throws Exception {
        out.createBuffer(BUFFER, CAPACITY, BufferOptions.DEFAULTS.withHold(true));
        CompletableFuture<RIn> opened = new CompletableFuture<>();
        CompletableFuture<RemoteMemory> granted = new CompletableFuture<>();
        CompletableFuture<Void> read = new CompletableFuture<>();
        rocketBufs
                .connect(address, ConnectOptions.as(Role.PEER, made -> {
                    made.setControlMessageCallback(description ->
                            granted.complete(made.remoteMemory(description, (context, value) -> read.complete(null))));
                    out.addConnection(made);
                    opened.complete(new RIn(made));
                }))
                .get();
        RIn in = opened.get();
        Connection connection = in.connection();
        grant(connection, file, Right.READ);
        grant(connection, words, Right.ATOMIC);
        CompletableFuture<Void> answered = new CompletableFuture<>();
        in.setDataInCallback((bufferId, data) -> {
            in.dataConsumed(bufferId, data.length());
            answered.complete(null);
        });
        in.subscribe(BUFFER, CAPACITY).get();
        for (int left = random.nextInt(MOST_BLOCKS); left > 0 || !answered.isDone(); left--) {
            Segment segment = out.getOutputSegment(BUFFER, LENGTH, true);
            out.deliver(segment, LENGTH);
        }
        granted.get().read(0, LENGTH, local, 0, 0);
        read.get();
        connection.close();
        connection.closed().get();
        in.close();
        out.removeBuffer(BUFFER);
    }

    private static void grant(Connection connection, MappedFile shared, Right right) {
        ByteBuffer description = connection
                .grant(shared.region(), 0, shared.length(), Set.of(right), GrantCallback.NONE)
                .description();
        connection.sendControlMessage(description);
    }

    @Override
    public void close() {
        file.close();
        words.close();
        local.release();
        pool.close();
    }
}
