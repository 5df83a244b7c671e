package io.rocketbufs.rocketnet.shm;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A connection whose peer is a bare socket that sends and receives descriptors. */
@Timeout(600)
abstract class ShmSharingFixture {
    /** Number of files that each side may share. */
    static final int LIMIT = 3;

    static final int LENGTH = 4096;
    static final Set<Right> READ = Set.of(Right.READ);

    private final CompletableFuture<TransportConnection> accepted = new CompletableFuture<>();
    final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final MemoryPool pool = new MemoryPool(LENGTH);
    final Region local = pool.allocate(LENGTH);
    private final List<ShmMemory> mapped = new ArrayList<>();
    private Transport transport;
    private TransportListener listener;
    TransportConnection connection;
    ShmSocket peer;
    MappedFile file;
    /** Number of descriptors that are open when no memory is shared. */
    long before;

    @BeforeEach
    void connect() throws Exception {
        transport = new ShmTransportProvider().open(ShmEnds.config(ConfigFactory.load(), "shared-files = " + LIMIT));
        listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), made -> {
            accepted.complete(made);
            return new Events();
        });
        file = MappedFile.memory("test", LENGTH);
        file.region().window(0, LENGTH).putLong(0, 4711);
        peer = ShmSocket.open();
        peer.connect(ShmEnds.directory()
                .resolve(listener.address().getPort() + ".sock")
                .toString());
        int memory = ShmMemory.create(ShmLayout.SHORTEST_CHANNEL);
        mapped.add(ShmMemory.map(memory, ShmLayout.SHORTEST_CHANNEL));
        peer.send(ShmGreeting.accepting(ShmLayout.SHORTEST_CHANNEL, 0).encode(), memory);
        ShmSocket.closeDescriptor(memory);
        ShmSocket.closeDescriptor(
                receive(ShmCalls.block(ShmGreeting.MAX_LENGTH)).descriptor());
        connection = accepted.get(60, TimeUnit.SECONDS);
        before = ShmEnds.descriptors();
    }

    @AfterEach
    void close() throws Exception {
        connection.worker().execute(connection::close);
        closed.get(60, TimeUnit.SECONDS);
        Awaitility.await().until(() -> ShmEnds.descriptors() < before);
        peer.close();
        listener.close();
        transport.close();
        file.close();
        mapped.forEach(ShmMemory::unmap);
        local.release();
        pool.close();
    }

    /** Waits for a packet that is not a wake-up. */
    ShmSocket.Packet receive(ByteBuffer packet) throws ShmException {
        ShmSocket.Packet received = peer.receive(packet);
        while (received == null || received.length() == 1) {
            Thread.onSpinWait();
            received = peer.receive(packet);
        }
        return received;
    }

    void share(long key) throws ShmException {
        int descriptor = file.region().openFile();
        peer.send(ShmNotice.of(ShmNotice.SHARED, key), descriptor);
        ShmSocket.closeDescriptor(descriptor);
    }

    RemoteBuffer remote(long key) {
        return connection.remoteBuffer(new RemoteAccess(0, key), LENGTH);
    }

    void awaitReadable(long key) {
        RemoteBuffer remote = remote(key);
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(remote::isReadable);
    }

    /** Waits until the connection has handled all notices. */
    void settle() throws ShmException {
        peer.send(ShmNotice.of(ShmNotice.WITHDRAWN, 1), -1);
        share(Long.MAX_VALUE);
        awaitReadable(Long.MAX_VALUE);
    }

    private final class Events extends ShmIgnoringHandler {
        @Override
        public void failed(TransportException cause) {
            connection.close();
        }

        @Override
        public void closed() {
            closed.complete(null);
        }
    }
}
