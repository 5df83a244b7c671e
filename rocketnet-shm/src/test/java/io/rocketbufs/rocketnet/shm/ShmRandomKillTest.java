package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rocketbufs.Connection;
import io.rocketbufs.Listener;
import io.rocketbufs.RIn;
import io.rocketbufs.ROut;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.RocketBufs;
import io.rocketbufs.Segment;
import io.rocketbufs.contract.PeerProcess;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests in which processes are killed at random instants: while they connect, share memory, send, receive or
 * disconnect. Each process runs {@link ShmRestlessPeer#COUNT} peers, which are usually in different phases.
 */
@Tag("once")
@Timeout(600)
final class ShmRandomKillTest {
    private static final String SETTINGS =
            "rocketbufs { transport = shm, shm { num-threads = 1, directory = \"" + ShmEnds.directory() + "\" } }";
    private static final int MOST_CONNECTIONS = 20;

    private final long seed = System.nanoTime();
    private final List<Connection> accepted = new CopyOnWriteArrayList<>();
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final MemoryPool pool = new MemoryPool(ShmRestlessPeer.LENGTH);
    private final Region local = pool.allocate(ShmRestlessPeer.LENGTH);
    private RocketBufs survivor;
    private Listener listener;
    private ROut out;
    private MappedFile file;

    @TempDir
    private Path directory;

    @BeforeEach
    void open() throws IOException {
        // Peers need a descriptor for a file that can be shortened, and none for sealed memory.
        file = MappedFile.create(directory.resolve("file"), ShmRestlessPeer.LENGTH);
        survivor = PeerProcess.open(SETTINGS);
        out = new ROut(survivor);
        out.createBuffer(ShmRestlessPeer.BUFFER, ShmRestlessPeer.CAPACITY);
        listener = new Listener(survivor, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        listener.setConnectionCallback(this::serve);
    }

    @AfterEach
    void close() {
        survivor.close();
        file.close();
        local.release();
        pool.close();
    }

    /** Exchanges data and memory with a peer. Each transfer that arrives is answered to all peers. */
    private void serve(Connection connection) {
        accepted.add(connection);
        RIn in = new RIn(connection);
        List<RemoteMemory> shared = new ArrayList<>();
        connection.setCloseCallback(failure -> {
            if (failure != null) {
                failures.add(failure);
            }
            in.close();
        });
        connection.setControlMessageCallback(
                description -> shared.add(connection.remoteMemory(description, (context, value) -> {})));
        in.setDataInCallback((bufferId, data) -> {
            in.dataConsumed(bufferId, data.length());
            shared.forEach(this::use);
            Segment segment = out.getOutputSegment(bufferId, ShmRestlessPeer.LENGTH, false);
            if (segment.vecCount() > 0) {
                out.deliver(segment, ShmRestlessPeer.LENGTH);
            }
        });
        out.addConnection(connection);
        in.subscribe(ShmRestlessPeer.BUFFER, ShmRestlessPeer.CAPACITY);
        ByteBuffer description = connection
                .grant(file.region(), 0, file.length(), Set.of(Right.READ), GrantCallback.NONE)
                .description();
        connection.sendControlMessage(description);
    }

    /** Accesses a peer's memory both directly, if possible, and with the help of the peer. */
    private void use(RemoteMemory memory) {
        if (memory.rights().contains(Right.ATOMIC)) {
            memory.fetchAddDirectly(0, 1, before -> {});
            memory.fetchAdd(0, 1, 0);
        } else {
            memory.readDirectly(0, (int) memory.length(), local, 0);
            memory.read(0, (int) memory.length(), local, 0, 0);
        }
    }

    @Test
    void shouldForgetPeersThatAreKilledAtAnyInstant() throws Exception {
        assertForgetsKilledPeers(1);
    }

    @Test
    @Tag("slow")
    void shouldForgetHundredsOfPeersThatAreKilledAtAnyInstant() throws Exception {
        assertForgetsKilledPeers(20);
    }

    private void assertForgetsKilledPeers(int processes) throws Exception {
        Random random = new Random(seed);
        assertServesANewPeer();
        long memory = survivor.memoryInUse();
        long descriptors = ShmEnds.descriptors();
        long mappings = ShmEnds.mappings();
        for (int i = 0; i < processes; i++) {
            accepted.clear();
            int connections = ShmRestlessPeer.COUNT + random.nextInt(MOST_CONNECTIONS);
            try (PeerProcess process = PeerProcess.start(
                    ShmRestlessPeer.class,
                    SETTINGS,
                    Integer.toString(listener.address().getPort()),
                    Long.toString(random.nextInt()))) {
                await("seed=" + seed).until(() -> accepted.size() >= connections);
                process.kill();
            }
            await("seed=" + seed).untilAsserted(() -> {
                assertThat(accepted).allMatch(connection -> connection.closed().isDone());
                assertThat(survivor.memoryInUse()).isEqualTo(memory);
                assertThat(ShmEnds.descriptors()).isEqualTo(descriptors);
                assertThat(ShmEnds.mappings()).isEqualTo(mappings);
            });
            assertServesANewPeer();
        }
        assertThat(failures)
                .as("seed=%d", seed)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOfSatisfying(
                                TransportException.class,
                                cause -> assertThat(cause.code()).isEqualTo(TransportException.Code.PEER_LOST)));
    }

    private void assertServesANewPeer() throws Exception {
        try (RocketBufs other = PeerProcess.open(SETTINGS);
                ShmRestlessPeer peer = new ShmRestlessPeer(other, listener.address(), seed)) {
            peer.connectAndDisconnect();
        }
        await().until(() -> accepted.get(accepted.size() - 1).closed().isDone());
    }
}
