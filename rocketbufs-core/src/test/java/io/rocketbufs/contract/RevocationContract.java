package io.rocketbufs.contract;

import static io.rocketbufs.contract.Stage.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rocketbufs.Connection;
import io.rocketbufs.Grant;
import io.rocketbufs.RemoteMemory;
import io.rocketbufs.contract.Loan.Written;
import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Posted;
import io.rocketbufs.options.RemoteMemoryCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.Capabilities;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.RemoteBuffer;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.Transport;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.wire.AtomicLayout;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.GrantLayout;
import io.rocketbufs.wire.HelloLayout;
import io.rocketbufs.wire.ImmediateLayout;
import io.rocketbufs.wire.ReadLayout;
import io.rocketbufs.wire.RevokeLayout;
import io.rocketbufs.wire.SeekLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that, after a grant has been revoked, no operation by the peer reaches the memory, whether the peer confirms
 * the revocation, is stopped, or violates the protocol.
 */
class RevocationContract {
    private static final Set<Right> ALL = EnumSet.allOf(Right.class);
    private static final int LENGTH = 1 << 16;
    private static final long PATIENCE_MS = 60_000;
    private static final int PEER = 3;

    private final Stage stage;
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private final Region region = pool.allocate(LENGTH);
    private Node owning;
    private Transport transport;

    RevocationContract(Stage stage) {
        this.stage = stage;
    }

    @BeforeEach
    void open() {
        owning = stage.node();
        transport = stage.transport(Stage.config());
    }

    @AfterEach
    void release() {
        region.release();
        eventually(() -> pool.allocatedLength() == 0);
        pool.close();
    }

    // Peers that follow the protocol.

    @Test
    void shouldConfirmWhenEverythingThatWasPostedHasCompleted() {
        Loan loan = Loan.between(owning, stage.node()).grant(ALL);
        byte[] content = loan.fillGranted(1);
        int count = 100;
        for (int i = 0; i < count; i++) {
            loan.write(0, 0, 0, i);
            loan.read(0, 10_000, 0, i);
        }
        assertThat(Stage.get(loan.grant().revoke(PATIENCE_MS))).isEqualTo(Revocation.CONFIRMED);
        assertThat(loan.isRevoked()).isTrue();
        assertThat(loan.awaitCompletions(count)).hasSize(count);
        assertThat(loan.awaitWrites(count).get(count - 1)).isEqualTo(new Written(count - 1, 0));
        assertThat(loan.localBytes(0, 10_000)).isEqualTo(Arrays.copyOf(content, 10_000));
        assertThat(loan.remote().read(0, 1, loan.local(), 0, 1)).isEqualTo(Posted.CLOSED);
        assertThat(loan.remote().write(loan.local(), 0, 1, 0, 1)).isEqualTo(Posted.CLOSED);
        assertThat(Stage.get(loan.grant().revoke(0))).isEqualTo(Revocation.CONFIRMED);

        // The connection stays open, and the id is reused.
        int id = loan.grant().id();
        loan.grant(ALL);
        assertThat(loan.grant().id()).isEqualTo(id);
        loan.read(0, 100, 0, 1);
        loan.awaitCompletions(count + 1);
        assertThat(Stage.get(loan.grant().revoke(PATIENCE_MS))).isEqualTo(Revocation.CONFIRMED);
        loan.release();
    }

    @Test
    void shouldConfirmWhileOperationsAreBeingPosted() {
        Loan loan = Loan.between(owning, stage.node()).grant(ALL);
        CompletableFuture<Revocation> end = null;
        int posted = 0;
        for (int i = 0; ; i++) {
            Posted result = i % 2 == 0
                    ? loan.remote().write(loan.local(), 0, 100, 0, i % 1000)
                    : loan.remote().read(0, 100, loan.local(), 0, i);
            posted += result == Posted.POSTED && i % 2 != 0 ? 1 : 0;
            if (result == Posted.CLOSED) {
                break;
            }
            if (i == 1000) {
                end = loan.grant().revoke(PATIENCE_MS);
            }
        }
        assertThat(Stage.get(end)).isEqualTo(Revocation.CONFIRMED);
        assertThat(loan.awaitCompletions(posted)).hasSize(posted);
        loan.release();
    }

    @Test
    void shouldConfirmForAPeerThatHasNotUsedTheGrantYet() {
        Loan loan = Loan.between(owning, stage.node());
        Grant grant = loan.owner().grant(region, 0, LENGTH, ALL, GrantCallback.NONE);
        ByteBuffer description = grant.description();
        assertThat(Stage.get(grant.revoke(PATIENCE_MS))).isEqualTo(Revocation.CONFIRMED);
        assertThatThrownBy(() -> loan.user().remoteMemory(description, loan))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("has revoked grant 0 (serial 1)");
        loan.release();
    }

    @Test
    void shouldEndGrantsWithTheConnection() {
        Loan loan = Loan.between(owning, stage.node()).grant(ALL);
        Grant unused = loan.owner().grant(region, 0, LENGTH, Set.of(Right.READ), GrantCallback.NONE);
        loan.user().close();
        assertThat(Stage.get(loan.grant().end())).isEqualTo(Revocation.CONNECTION_CLOSED);
        assertThat(Stage.get(unused.revoke(0))).isEqualTo(Revocation.CONNECTION_CLOSED);
        assertThatThrownBy(() -> loan.owner().grant(region, 0, LENGTH, ALL, GrantCallback.NONE))
                .isInstanceOf(TransportException.class);
        loan.release();
    }

    // Peers that stop.

    /**
     * Covers a write of 2 MiB, of which the transport has accepted only a part when the peer stops, if its receivers
     * place the bytes. Other transports may also complete the write.
     */
    @Test
    void shouldChangeNothingAfterAForcedRevocationInTheMiddleOfALongWrite() {
        stage.expectFailures();
        Loan loan = Loan.between(owning, stage.node()).grant(ALL);
        byte[] bytes = loan.fillLocal(1);
        CountDownLatch ownerContinues = stop(loan.owner());
        CountDownLatch userContinues = stop(loan.user());
        // The caller's thread sends as much as the transport accepts. Only the stopped worker can send the rest.
        loan.write(0, Loan.LENGTH, 0, 1);
        ownerContinues.countDown();
        int certain = 10_000;
        eventually(() -> Arrays.equals(loan.grantedBytes(0, certain), Arrays.copyOf(bytes, certain)));

        assertThat(Stage.get(loan.grant().revoke(50))).isEqualTo(Revocation.FORCED);
        byte[] then = loan.grantedBytes(0, Loan.LENGTH);
        boolean isWhole = Arrays.equals(then, bytes);
        if (stage.capabilities().receiverPlaces()) {
            assertThat(isWhole).as("the write is complete").isFalse();
        }
        boolean staysOpen = loan.owner().isOpen();
        userContinues.countDown();
        if (staysOpen) {
            eventually(loan::isRevoked);
        } else {
            Stage.get(loan.user().closed());
        }
        assertThat(Arrays.mismatch(loan.grantedBytes(0, Loan.LENGTH), then)).isEqualTo(-1);
        // The revocation may end the access between the last byte of a write and its notification.
        assertThat(loan.writes()).hasSizeLessThanOrEqualTo(isWhole ? 1 : 0);
        loan.release();
    }

    /** Stops a connection's worker until the latch is released. */
    private static CountDownLatch stop(Connection connection) {
        CountDownLatch continues = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        connection.execute(() -> {
            stopped.countDown();
            await(continues);
        });
        await(stopped);
        return continues;
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    // Peers that violate the protocol.

    /** A raw peer, and the granting side's connection to it. */
    private record Rogue(RawPeer peer, Connection connection) {}

    private Rogue connect() {
        stage.expectFailures();
        RawPeer peer = RawPeer.connect(transport, owning.address()).hello(PEER);
        peer.await(ControlType.HELLO);
        eventually(() -> !owning.accepted().isEmpty());
        return new Rogue(peer, owning.lastAccepted());
    }

    /** Returns the memory of a grant as the peer's transport represents it. */
    private static RemoteBuffer remote(Rogue rogue, Grant grant) {
        ByteBuffer description = grant.description();
        RemoteAccess access = new RemoteAccess(GrantLayout.address(description), GrantLayout.key(description));
        return rogue.peer().connection().remoteBuffer(access, LENGTH);
    }

    private byte[] content() {
        byte[] bytes = new byte[LENGTH];
        region.window(0, LENGTH).get(0, bytes);
        return bytes;
    }

    private static int immediate(Grant grant, boolean more) {
        return ImmediateLayout.granted(grant.id(), 7, more);
    }

    @Test
    void shouldForceAPeerThatDoesNotConfirm() {
        Rogue rogue = connect();
        Grant grant = rogue.connection().grant(region, 0, LENGTH, ALL, GrantCallback.NONE);
        RemoteBuffer remote = remote(rogue, grant);
        assertThat(Stage.get(grant.revoke(50))).isEqualTo(Revocation.FORCED);
        rogue.peer().await(ControlType.REVOKE);
        byte[] before = content();
        Capabilities capabilities = stage.capabilities();
        assertThat(rogue.connection().isOpen()).isEqualTo(capabilities.receiverPlaces() || capabilities.revokeFences());
        rogue.peer().write(remote, 0, immediate(grant, false), 1000);
        rogue.peer().awaitOver();
        Stage.get(rogue.connection().closed());
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void shouldUseTheIdOfAForcedGrantAgainOnceThePeerHasConfirmed() {
        Rogue rogue = connect();
        Grant grant = rogue.connection().grant(region, 0, LENGTH, Set.of(Right.READ), GrantCallback.NONE);
        if (stage.capabilities().offers(Right.READ) && !stage.capabilities().revokeFences()) {
            grant.revoke(0);
            rogue.peer().awaitOver();
            return;
        }
        assertThat(Stage.get(grant.revoke(0))).isEqualTo(Revocation.FORCED);
        Grant second = rogue.connection().grant(region, 0, LENGTH, Set.of(Right.READ), GrantCallback.NONE);
        assertThat(second.id()).isNotEqualTo(grant.id());
        rogue.peer().send(ControlType.REVOKED, body -> RevokeLayout.put(body, grant.id(), 1));
        eventually(() -> {
            Grant third = rogue.connection().grant(region, 0, LENGTH, Set.of(Right.READ), GrantCallback.NONE);
            return third.id() == grant.id();
        });
        rogue.peer().close();
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatConfirmsAndGoesOn() {
        Rogue rogue = connect();
        Grant grant = rogue.connection().grant(region, 0, LENGTH, ALL, GrantCallback.NONE);
        RemoteBuffer remote = remote(rogue, grant);
        CompletableFuture<Revocation> end = grant.revoke(PATIENCE_MS);
        rogue.peer().await(ControlType.REVOKE);
        rogue.peer().send(ControlType.REVOKED, body -> RevokeLayout.put(body, grant.id(), 1));
        assertThat(Stage.get(end)).isEqualTo(Revocation.CONFIRMED);
        byte[] before = content();
        rogue.peer().write(remote, 0, immediate(grant, false), 1000);
        rogue.peer().awaitOver();
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void shouldCloseTheConnectionOfAPeerInTheMiddleOfAWriteOrLeaveItNothingToWriteTo() {
        Rogue rogue = connect();
        Grant grant = rogue.connection().grant(region, 0, LENGTH, ALL, GrantCallback.NONE);
        RemoteBuffer remote = remote(rogue, grant);
        rogue.peer().write(remote, 0, immediate(grant, true), 1000);
        CompletableFuture<Revocation> end = grant.revoke(50);
        assertThat(Stage.get(end)).isEqualTo(Revocation.FORCED);
        byte[] before = content();
        rogue.peer().write(remote, 1000, immediate(grant, false), 1000);
        rogue.peer().awaitOver();
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void shouldRefuseToGrantMemoryToAPeerOfAVersionWithoutGrants() {
        stage.expectFailures();
        RawPeer older = RawPeer.connect(transport, owning.address());
        older.send(ControlType.HELLO, body -> {
            HelloLayout.put(body, PEER, 1000, new byte[0]);
            body.put(ControlLayout.HEADER_LENGTH + 7, (byte) 0);
        });
        older.await(ControlType.HELLO);
        assertThatThrownBy(() -> owning.lastAccepted().grant(region, 0, LENGTH, ALL, GrantCallback.NONE))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("a version of RocketBufs without grants");
        older.close();
    }

    @Test
    void shouldCloseTheConnectionWhenAnOperationLeavesTheMemoryBecauseTheDescriptionWasChanged() {
        stage.expectFailures();
        Loan loan = Loan.between(owning, stage.node());
        Grant grant = loan.owner().grant(region, 8192, 8192, ALL, GrantCallback.NONE);
        ByteBuffer lie = grant.description();
        int lengthOffset = 8;
        lie.putLong(lengthOffset, 1L << 40);
        byte[] before = content();
        loan.fillLocal(1);
        RemoteMemory remote = loan.user().remoteMemory(lie, loan);
        assertThat(remote.write(loan.local(), 0, 1000, 8192 - 999, 1)).isEqualTo(Posted.POSTED);
        Stage.get(loan.user().closed());
        assertThat(Stage.get(grant.end())).isEqualTo(Revocation.CONNECTION_CLOSED);
        assertThat(content()).isEqualTo(before);
        loan.release();
    }

    /** If the sender addresses the memory, a key is valid for all connections of the device. */
    @Test
    void shouldGiveAPeerNothingOfWhatAnotherPeerWasGrantedWhereTheReceiverPlaces() {
        assumeTrue(stage.capabilities().receiverPlaces(), "the receiver does not place writes");
        stage.expectFailures();
        Loan innocent = Loan.between(owning, stage.node()).grant(ALL);
        byte[] before = innocent.fillGranted(1);
        Loan thief = Loan.between(owning, stage.node());
        thief.fillLocal(2);
        RemoteMemory stolen = thief.user().remoteMemory(innocent.grant().description(), thief);
        assertThat(stolen.write(thief.local(), 0, 1000, 0, 1)).isEqualTo(Posted.POSTED);
        Stage.get(thief.user().closed());
        assertThat(innocent.grantedBytes(0, Loan.LENGTH)).isEqualTo(before);

        innocent.read(0, 1000, 0, 2);
        innocent.awaitCompletions(1);
        Stage.get(innocent.grant().revoke(PATIENCE_MS));
        innocent.release();
        thief.release();
    }

    @Test
    void shouldCloseTheConnectionOfAnOwnerThatAnswersMoreThanWasRead() {
        assumeTrue(stage.capabilities().receiverPlaces(), "the receiver does not place answers");
        Rogue rogue = connect();
        ByteBuffer description = ByteBuffer.allocate(GrantLayout.LENGTH);
        GrantLayout.putGrant(description, GrantLayout.READ, 0, 1);
        GrantLayout.putMemory(description, LENGTH, 0, 0);
        List<Long> failed = new CopyOnWriteArrayList<>();
        RemoteMemory remote = rogue.connection().remoteMemory(description.flip(), new RemoteMemoryCallback() {
            @Override
            public void onCompleted(long context, long value) {
                failed.add(-1L);
            }

            @Override
            public void onFailed(long context, TransportException cause) {
                failed.add(context);
            }
        });
        byte[] before = content();
        assertThat(remote.read(500, 1000, region, 100, 9)).isEqualTo(Posted.POSTED);
        rogue.peer().await(ControlType.READ_REQUEST);
        write(rogue, 0, ImmediateLayout.ANSWER, 1001);
        rogue.peer().awaitOver();
        Stage.get(rogue.connection().closed());
        assertThat(failed).containsExactly(9L);
        assertThat(content()).isEqualTo(before);
    }

    private void checkBreach(Set<Right> rights, Consumer<Rogue> act) {
        Rogue rogue = connect();
        Loan innocent = Loan.between(owning, stage.node()).grant(ALL);
        Grant grant = rogue.connection().grant(region, 8192, 8192, rights, GrantCallback.NONE);
        byte[] before = content();
        act.accept(rogue);
        rogue.peer().awaitOver();
        assertThat(Stage.get(grant.end())).isEqualTo(Revocation.CONNECTION_CLOSED);
        assertThat(content()).isEqualTo(before);
        assertThat(owning.awaitFailures()).hasSize(1);

        // Other peers are not affected.
        innocent.write(0, 1000, 0, 3);
        innocent.read(0, 1000, 0, 4);
        innocent.awaitWrites(1);
        innocent.awaitCompletions(1);
        Stage.get(innocent.grant().revoke(PATIENCE_MS));
        innocent.release();
    }

    private static void write(Rogue rogue, long offset, int id, int length) {
        RemoteBuffer anywhere = rogue.peer().connection().remoteBuffer(new RemoteAccess(12_345, 67_890), 1 << 20);
        rogue.peer().write(anywhere, offset, ImmediateLayout.granted(id, 0, false), length);
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatInventsAGrant() {
        checkBreach(ALL, rogue -> write(rogue, 0, 5, 100));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatNotifiesOfAWriteToAnInventedGrant() {
        checkBreach(ALL, rogue -> write(rogue, 0, 1023, 0));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatAnswersWhatWasNotAsked() {
        checkBreach(ALL, rogue -> write(rogue, 0, ImmediateLayout.ANSWER, 100));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatAnswersAnAtomicOperationThatWasNotAsked() {
        checkBreach(
                ALL, rogue -> rogue.peer().send(ControlType.ATOMIC_ANSWER, body -> AtomicLayout.putBefore(body, 1)));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatWritesWithoutTheRight() {
        checkBreach(Set.of(Right.READ), rogue -> write(rogue, 0, 0, 100));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatConfirmsWhatWasNotRevoked() {
        checkBreach(ALL, rogue -> rogue.peer().send(ControlType.REVOKED, body -> RevokeLayout.put(body, 0, 1)));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatConfirmsWithAnotherSerialNumber() {
        checkBreach(ALL, rogue -> rogue.peer().send(ControlType.REVOKED, body -> RevokeLayout.put(body, 0, 2)));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatRevokesAnImpossibleGrant() {
        for (int id : new int[] {-1, 1024, Integer.MIN_VALUE}) {
            checkBreach(ALL, rogue -> rogue.peer().send(ControlType.REVOKE, body -> RevokeLayout.put(body, id, 1)));
            owning = stage.node();
        }
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatRequestsAnImpossibleRead() {
        long[][] requests = {
            {0, 0, 0},
            {0, -1, 0},
            {0, 8193, 0},
            {0, 1, 8192},
            {0, 1, -1},
            {0, 8, Long.MAX_VALUE - 3},
            {0, Integer.MIN_VALUE, 100},
            {5, 1, 0},
            {-1, 1, 0},
            {1024, 1, 0}
        };
        for (long[] request : requests) {
            checkBreach(
                    ALL,
                    rogue -> rogue.peer().send(ControlType.READ_REQUEST, body -> {
                        ReadLayout.putRange(body, (int) request[0], (int) request[1], request[2]);
                        ReadLayout.putAccess(body, 0, 0);
                    }));
            owning = stage.node();
        }
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatReadsWithoutTheRight() {
        checkBreach(
                Set.of(Right.WRITE),
                rogue -> rogue.peer().send(ControlType.READ_REQUEST, body -> {
                    ReadLayout.putRange(body, 0, 1, 0);
                    ReadLayout.putAccess(body, 0, 0);
                }));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatRequestsAnAtomicOperationWithoutTheRight() {
        checkBreach(
                EnumSet.of(Right.READ, Right.WRITE),
                rogue -> rogue.peer().send(ControlType.ATOMIC_REQUEST, body -> {
                    AtomicLayout.putWord(body, 0, AtomicLayout.ADD, 8);
                    AtomicLayout.putOperands(body, 1, 0);
                }));
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatRequestsAnImpossibleAtomicOperation() {
        long[][] requests = {
            {0, 0, 0}, {0, 3, 0}, {0, 1, 4}, {0, 1, -8}, {0, 2, 8192}, {0, 1, Long.MAX_VALUE - 7}, {5, 1, 0}
        };
        for (long[] request : requests) {
            checkBreach(
                    ALL,
                    rogue -> rogue.peer().send(ControlType.ATOMIC_REQUEST, body -> {
                        AtomicLayout.putWord(body, (int) request[0], (int) request[1], request[2]);
                        AtomicLayout.putOperands(body, -1, 0);
                    }));
            owning = stage.node();
        }
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatSeeksOutsideTheMemory() {
        for (long offset : List.of(-1L, 8193L, Long.MAX_VALUE, Long.MIN_VALUE)) {
            checkBreach(ALL, rogue -> rogue.peer().send(ControlType.SEEK, body -> SeekLayout.put(body, 0, offset)));
            owning = stage.node();
        }
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatWritesBehindTheEnd() {
        checkBreach(ALL, rogue -> {
            if (stage.capabilities().receiverPlaces()) {
                rogue.peer().send(ControlType.SEEK, body -> SeekLayout.put(body, 0, 8192 - 99));
            }
            write(rogue, 8192 - 99, 0, 100);
        });
    }

    @Test
    void shouldCloseTheConnectionOfAPeerThatRequestsMoreThanTheWindow() {
        checkBreach(ALL, rogue -> {
            RawPeer peer = rogue.peer();
            peer.stopReading();
            rogue.connection().sendControlMessage(ByteBuffer.allocate(0));
            peer.awaitStopped();
            eventually(() -> {
                peer.send(ControlType.READ_REQUEST, body -> {
                    ReadLayout.putRange(body, 0, 8192, 0);
                    ReadLayout.putAccess(body, 0, 0);
                });
                return !rogue.connection().isOpen();
            });
            peer.close();
        });
    }
}
