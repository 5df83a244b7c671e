package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Tests of files shared by a peer, and of files shared with a peer. */
final class ShmSharingTest extends ShmSharingFixture {
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
        peer.send(ShmNotice.of(4, 9), peer.descriptor());
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
            shared.add(connection.share(file.region(), READ));
            ShmSocket.Packet received = receive(packet);
            assertThat(received.descriptor()).isNotNegative();
            ShmSocket.closeDescriptor(received.descriptor());
            assertThat(ShmNotice.key(packet)).isEqualTo(shared.get(i).key());
        }
        assertThat(shared).doesNotHaveDuplicates().doesNotContain(RemoteAccess.NONE);
        assertThat(connection.share(file.region(), READ)).isEqualTo(RemoteAccess.NONE);
        connection.revoke(shared.get(0));
        assertThat(receive(packet).descriptor()).isNegative();
        assertThat(ShmNotice.kind(packet)).isEqualTo(ShmNotice.WITHDRAWN);
        assertThat(connection.share(file.region(), READ)).isNotEqualTo(RemoteAccess.NONE);
        Awaitility.await().until(() -> ShmEnds.descriptors() <= before);
    }

    @Test
    void shouldShareNothingWithAPeerThatDoesNotReadItsPackets() throws IOException {
        int shared = 0;
        RemoteAccess last = connection.share(file.region(), READ);
        while (!last.equals(RemoteAccess.NONE)) {
            shared++;
            assertThat(shared).isLessThan(100_000);
            connection.revoke(last);
            last = connection.share(file.region(), READ);
        }
        assertThat(closed).isNotDone();
        // Withdrawals for which the socket had no room are sent once the peer reads.
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
        assertThat(connection.share(file.region(), READ)).isEqualTo(RemoteAccess.NONE);
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
}
