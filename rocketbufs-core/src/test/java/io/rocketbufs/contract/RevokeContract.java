package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Tests of the end of grants that involve only the transport. */
class RevokeContract extends FetchFixture {
    RevokeContract(Stage stage) {
        super(stage);
    }

    RevokeContract(Stage stage, SharedMemory shared) {
        super(stage, shared);
    }

    @Test
    void shouldRefuseWritesAfterwards() {
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.WRITE));
        pair.near().window().put(0, (byte) 1);
        pair.near().put(remote, 0, 0, 1);
        pair.awaitAll();
        pair.revoke(remote);
        pair.near().put(remote, 1, 0, 1);
        pair.awaitFailure();
        pair.close();
        assertThat(bytes(pair.far(), 0, 2)).containsExactly(1, 0);
    }

    @Test
    void shouldRefuseReadsAfterwards() {
        needTransport();
        need(Right.READ);
        BarePair pair = pair();
        random(pair.far(), 0, 100);
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.READ));
        pair.near().result(pair.near().read(remote, 0, 0, 1));
        pair.revoke(remote);
        pair.near().window().put(0, (byte) 0);
        pair.near().read(remote, 0, 0, 100);
        pair.awaitFailure();
        pair.close();
        assertZero(pair.near(), 0, 100);
        assertThat(pair.near().fetchedCount()).isEqualTo(1);
    }

    /** A correct peer can no longer access the memory, even if it has kept the access data. */
    @Test
    void shouldEndOperationsOfThisProcessOnSharedMemory() {
        assumeTrue(shares(), "this process does not carry out the operations");
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.READ));
        pair.revoke(remote);
        eventually(() -> !remote.isReadable());
        for (RemoteBuffer stale : List.of(remote, pair.usable(remote.access(), LENGTH))) {
            assertThat(stale.isReadable()).isFalse();
            assertThat(stale.read(0, 1, pair.near().region(), 0)).isFalse();
        }
    }

    @Test
    void shouldLeaveOtherConnectionsTheirGrants() {
        need(Right.READ);
        Region shared = region(LENGTH);
        BarePair first = pair(shared);
        BarePair second = pair(shared);
        byte[] expected = random(first.far(), 0, 1000);
        RemoteBuffer ofFirst = first.granted(0, LENGTH, Set.of(Right.READ));
        RemoteBuffer ofSecond = second.granted(0, LENGTH, Set.of(Right.READ));
        first.near().result(first.near().read(ofFirst, 0, 0, 1000));
        first.revoke(ofFirst);
        second.near().result(second.near().read(ofSecond, 0, 0, 1000));
        assertThat(bytes(second.near(), 0, 1000)).isEqualTo(expected);
        second.revoke(ofSecond);
    }

    /** Revokes the access while the peer puts continuously. */
    @Test
    void shouldEndAccessToTheMemoryAtTheLatestWithTheConnection() {
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.WRITE));
        random(pair.near(), 0, LENGTH);
        CompletableFuture<Void> puts = CompletableFuture.runAsync(() -> putUntilTheEnd(pair.near(), remote));
        eventually(() -> pair.far().window().get(LENGTH / 2) != 0);
        pair.revoke(remote);
        if (!capabilities().revokeFences()) {
            pair.far().end();
            eventually(() -> pair.far().isClosed());
        }
        pair.far().window().put(0, new byte[LENGTH]);
        pair.awaitFailure();
        pair.close();
        Stage.get(puts);
        assertZero(pair.far(), 0, LENGTH);
    }

    private static void putUntilTheEnd(BareEnd end, RemoteBuffer remote) {
        int length = Math.min(LENGTH, end.connection().capabilities().longestWrite());
        while (end.tryPut(remote, 0, 0, length) != PostResult.CLOSED) {
            end.isComplete();
        }
    }

    @Test
    void shouldBePossibleAfterTheEndOfTheConnection() {
        BarePair pair = pair();
        RemoteBuffer remote = pair.granted(0, LENGTH, Set.of(Right.WRITE));
        pair.close();
        pair.revoke(remote);
    }
}
