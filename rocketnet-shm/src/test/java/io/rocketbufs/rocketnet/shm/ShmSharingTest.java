package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.rocketbufs.memory.MappedFile;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.memory.Vecs;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportConnection;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.TransportHandler;
import io.rocketbufs.rocketnet.TransportListener;
import java.io.IOException;
import java.lang.ref.Reference;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a connection whose peer, a bare socket, sends descriptors and receives them. */
@Timeout(600)
final class ShmSharingTest implements TransportHandler {
    private static final int LIMIT = 3;
    private static final int LENGTH = 4096;

    private final CompletableFuture<TransportConnection> accepted = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final MemoryPool pool = new MemoryPool(LENGTH);
    private final Region local = pool.allocate(LENGTH);
    private final List<ShmMemory> mapped = new ArrayList<>();
    private Transport transport;
    private TransportListener listener;
    private TransportConnection connection;
    private ShmSocket peer;
    private MappedFile file;
    private long before;

    @BeforeEach
    void connect() throws Exception {
        transport = new ShmTransportProvider().open(ShmEnds.config(ConfigFactory.load(), "shared-files = " + LIMIT));
        listener = transport.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), made -> {
            accepted.complete(made);
            return this;
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
    private ShmSocket.Packet receive(ByteBuffer packet) throws ShmException {
        ShmSocket.Packet received = peer.receive(packet);
        while (received == null || received.length() == 1) {
            Thread.onSpinWait();
            received = peer.receive(packet);
        }
        return received;
    }

    private void share(long key) throws ShmException {
        int descriptor = file.region().openFile();
        peer.send(ShmNotice.of(ShmNotice.SHARED, key), descriptor);
        ShmSocket.closeDescriptor(descriptor);
    }

    private RemoteBuffer remote(long key) {
        return connection.remoteBuffer(new RemoteAccess(0, key), LENGTH);
    }

    private void awaitReadable(long key) {
        RemoteBuffer remote = remote(key);
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(remote::isReadable);
    }

    /** Waits until the connection has handled all notices. */
    private void settle() throws ShmException {
        peer.send(ShmNotice.of(ShmNotice.WITHDRAWN, 1), -1);
        share(Long.MAX_VALUE);
        awaitReadable(Long.MAX_VALUE);
    }

    @Test
    void shouldReadWhatThePeerShares() throws ShmException {
        RemoteBuffer opened = remote(5);
        assertThat(opened.read(0, 8, local, 0)).isFalse();
        share(5);
        awaitReadable(5);
        assertThat(opened.read(0, 8, local, 0)).isTrue();
        assertThat(local.window(0, 8).getLong(0)).isEqualTo(4711);
        peer.send(ShmNotice.of(ShmNotice.WITHDRAWN, 5), -1);
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> !opened.isReadable());
        assertThat(opened.read(0, 8, local, 0)).isFalse();
    }

    @Test
    void shouldAcceptNoMoreFilesThanTheLimit() throws ShmException {
        for (int i = 10; i < 20; i++) {
            share(i);
        }
        awaitReadable(12);
        peer.send(ShmNotice.of(ShmNotice.WITHDRAWN, 10), -1);
        share(30);
        awaitReadable(30);
        assertThat(remote(12).isReadable()).isTrue();
        assertThat(remote(13).isReadable()).isFalse();
        Awaitility.await().until(() -> ShmEnds.descriptors() <= before);
    }

    @Test
    void shouldCloseDescriptorsThatACorrectPeerNeverSends() throws ShmException {
        share(1);
        share(1);
        share(0);
        share(-7);
        peer.send(ShmNotice.of(ShmNotice.SHARED, 8), -1);
        peer.send(ShmNotice.of(3, 9), peer.descriptor());
        peer.send(ShmNotice.of(ShmNotice.WITHDRAWN, 99), peer.descriptor());
        peer.send(ShmCalls.block(1), peer.descriptor());
        peer.send(ShmCalls.block(100), peer.descriptor());
        sendTwo(ShmNotice.of(ShmNotice.SHARED, 10));
        settle();
        Awaitility.await().until(() -> ShmEnds.descriptors() <= before);
        for (long key : new long[] {1, 8, 9, 10, 99}) {
            assertThat(remote(key).isReadable()).isFalse();
        }
        assertThat(closed).isNotDone();
    }

    private void sendTwo(ByteBuffer notice) throws ShmException {
        ByteBuffer message = ShmCalls.block(96);
        long address = ShmCalls.address(message);
        message.putLong(16, address + 56).putLong(24, 1).putLong(32, address + 72);
        message.putLong(40, 24).putLong(56, ShmCalls.address(notice)).putLong(64, notice.capacity());
        message.putLong(72, 24).putInt(80, 1).putInt(84, 1);
        message.putInt(88, peer.descriptor()).putInt(92, peer.descriptor());
        ShmCalls sendmsg = ShmCalls.of("sendmsg");
        sendmsg.check(sendmsg.call(peer.descriptor(), address, 0));
        Reference.reachabilityFence(message);
        Reference.reachabilityFence(notice);
    }

    @Test
    void shouldSendNoMoreFilesThanTheLimit() throws IOException {
        List<RemoteAccess> shared = new ArrayList<>();
        ByteBuffer packet = ShmCalls.block(ShmNotice.LENGTH);
        for (int i = 0; i < LIMIT; i++) {
            shared.add(connection.share(file.region()));
            ShmSocket.Packet received = receive(packet);
            assertThat(received.descriptor()).isNotNegative();
            ShmSocket.closeDescriptor(received.descriptor());
            assertThat(ShmNotice.key(packet)).isEqualTo(shared.get(i).key());
        }
        assertThat(shared).doesNotHaveDuplicates().doesNotContain(RemoteAccess.NONE);
        assertThat(connection.share(file.region())).isEqualTo(RemoteAccess.NONE);
        connection.revoke(shared.get(0));
        assertThat(receive(packet).descriptor()).isNegative();
        assertThat(ShmNotice.kind(packet)).isEqualTo(ShmNotice.WITHDRAWN);
        assertThat(connection.share(file.region())).isNotEqualTo(RemoteAccess.NONE);
        Awaitility.await().until(() -> ShmEnds.descriptors() <= before);
    }

    @Test
    void shouldShareNothingWithAPeerThatDoesNotReadItsPackets() throws IOException {
        int shared = 0;
        RemoteAccess last = connection.share(file.region());
        while (!last.equals(RemoteAccess.NONE)) {
            shared++;
            assertThat(shared).isLessThan(100_000);
            connection.revoke(last);
            last = connection.share(file.region());
        }
        assertThat(closed).isNotDone();
        // Withdrawals for which there was no room follow when the peer reads.
        ByteBuffer packet = ShmCalls.block(ShmNotice.LENGTH);
        for (int withdrawn = 0; withdrawn < shared; ) {
            ShmSocket.closeDescriptor(receive(packet).descriptor());
            withdrawn += ShmNotice.kind(packet) == ShmNotice.WITHDRAWN ? 1 : 0;
        }
        Awaitility.await().until(() -> ShmEnds.descriptors() <= before);
    }

    @Test
    void shouldShareNothingAfterTheEnd() throws Exception {
        connection.worker().execute(connection::close);
        closed.get(60, TimeUnit.SECONDS);
        assertThat(connection.share(file.region())).isEqualTo(RemoteAccess.NONE);
        connection.revoke(new RemoteAccess(0, 1));
    }

    @Test
    void shouldEndTheFilesThatADisconnectedPeerShared() throws ShmException {
        share(5);
        awaitReadable(5);
        RemoteBuffer opened = remote(5);
        peer.shutDown();
        Awaitility.await().atMost(60, TimeUnit.SECONDS).until(closed::isDone);
        assertThat(opened.read(0, 8, local, 0)).isFalse();
    }

    @Override
    public void place(int immediate, int length, Vecs into) {}

    @Override
    public void arrived(int immediate, int length) {}

    @Override
    public void arrivalsEnd() {}

    @Override
    public void control(ByteBuffer message) {}

    @Override
    public void completed(int count) {}

    @Override
    public void writable() {}

    @Override
    public void peerFinished() {}

    @Override
    public void failed(TransportException cause) {
        connection.close();
    }

    @Override
    public void closed() {
        closed.complete(null);
    }
}
