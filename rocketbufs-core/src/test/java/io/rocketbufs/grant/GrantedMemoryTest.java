package io.rocketbufs.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.options.GrantCallback;
import io.rocketbufs.options.Revocation;
import io.rocketbufs.rocketnet.PostResult;
import io.rocketbufs.rocketnet.RemoteAccess;
import io.rocketbufs.rocketnet.Right;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.stub.StubConnection;
import io.rocketbufs.rocketnet.stub.StubTransport;
import io.rocketbufs.rocketnet.stub.StubWorker;
import io.rocketbufs.session.Session;
import io.rocketbufs.session.StubOwner;
import io.rocketbufs.wire.AtomicLayout;
import io.rocketbufs.wire.ControlLayout;
import io.rocketbufs.wire.ControlMessages;
import io.rocketbufs.wire.ControlType;
import io.rocketbufs.wire.ReadLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the end of grants, over a connection without a peer. */
class GrantedMemoryTest implements StubOwner {
    private static final int LENGTH = 1 << 16;

    private final MemoryPool pool = new MemoryPool(4 << 20);
    private final StubWorker worker = new StubWorker();
    private final StubConnection connection = new StubConnection(worker, StubTransport.oneSided(), 7);
    private final Session session = new Session(connection, this, SETTINGS, pool);

    /** True if the end of the connection has been reported. */
    private boolean isReported;

    @BeforeEach
    void open() {
        connection.onGrant(() -> new RemoteAccess(1, 2));
        connection.handledBy(session);
        session.greet(3, new byte[0]);
        worker.run(() -> session.control(ControlMessages.hello(3, 1000, new byte[0])));
    }

    @AfterEach
    void close() {
        end();
        assertThat(pool.allocatedLength()).isZero();
        pool.close();
    }

    private void end() {
        session.disconnect("the test ends");
        worker.run();
    }

    @Override
    public void closed(Throwable failure) {
        isReported = true;
    }

    /** Grants memory that nothing else uses. */
    private GrantedMemory grant() {
        Region region = pool.allocate(LENGTH);
        try {
            return grant(region);
        } finally {
            region.release();
        }
    }

    private GrantedMemory grant(Region region) {
        return session.oneSided().grant(region, 0, LENGTH, EnumSet.of(Right.WRITE), GrantCallback.NONE);
    }

    private CompletableFuture<Revocation> revoke(GrantedMemory granted, long timeoutMs) {
        CompletableFuture<Revocation> end = granted.revoke(timeoutMs);
        worker.run();
        return end;
    }

    private void confirm(GrantedMemory granted) {
        ByteBuffer message = ControlMessages.revocation(
                ControlType.REVOKED, granted.id(), granted.name().serial());
        worker.run(() -> session.control(message));
    }

    @Test
    void shouldKeepNoTimerOnceThePeerHasConfirmed() {
        GrantedMemory granted = grant();
        CompletableFuture<Revocation> end = revoke(granted, 60_000);
        Future<?> timer = worker.lastScheduled();
        assertThat(timer.isCancelled()).isFalse();
        confirm(granted);
        assertThat(end).isCompletedWithValue(Revocation.CONFIRMED);
        assertThat(timer.isCancelled()).isTrue();
    }

    @Test
    void shouldWaitForTheTimeOfTheLastCall() {
        GrantedMemory granted = grant();
        revoke(granted, 50);
        Future<?> first = worker.lastScheduled();
        revoke(granted, 60_000);
        assertThat(first.isCancelled()).isTrue();
        assertThat(worker.lastDelayMs()).isEqualTo(60_000);
        assertThat(revoke(granted, 0)).isCompletedWithValue(Revocation.FORCED);
        assertThat(worker.lastScheduled().isCancelled()).isTrue();
    }

    @Test
    void shouldNotLetTheWorkerWaitWhileADeviceRegistersMemory() {
        GrantedMemory granted = grant();
        CompletableFuture<Revocation> end = revoke(granted, 60_000);
        connection.onGrant(() -> {
            CompletableFuture.runAsync(() -> confirm(granted))
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
            return new RemoteAccess(3, 4);
        });
        grant();
        assertThat(end).isCompletedWithValue(Revocation.CONFIRMED);
    }

    @Test
    void shouldRefuseAGrantWhoseConnectionEndsDuringTheRegistration() {
        connection.onGrant(() -> {
            end();
            return new RemoteAccess(3, 4);
        });
        assertThatThrownBy(this::grant)
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(TransportException.Code.CLOSED));
    }

    @Test
    void shouldUseTheIdAgainWhenADeviceRefusesTheMemory() {
        connection.onGrant(() -> {
            throw new TransportException(TransportException.Code.RESOURCES, "the test refuses");
        });
        assertThatThrownBy(this::grant).hasMessage("the test refuses");
        connection.onGrant(() -> new RemoteAccess(3, 4));
        assertThat(grant().id()).isZero();
    }

    @Test
    void shouldEndEveryGrantWithTheConnectionEvenIfOthersFail() {
        List<GrantedMemory> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Region region = pool.allocate(LENGTH);
            all.add(grant(region));
            region.release();
            if (i % 2 == 0) {
                // Simulates a bug in the application: the last lease belongs to the grant.
                region.release();
            }
        }
        end();
        assertThat(all)
                .allSatisfy(granted -> assertThat(granted.end()).isCompletedWithValue(Revocation.CONNECTION_CLOSED));
        assertThat(isReported).isTrue();
    }

    @Test
    void shouldCarryOutAnAtomicOperationOnceTheAnswersToEarlierReadsHaveBeenSent() {
        Region region = pool.allocate(LENGTH);
        int id = session.oneSided()
                .grant(region, 0, LENGTH, EnumSet.allOf(Right.class), GrantCallback.NONE)
                .id();
        ByteBuffer word = region.window(8, Long.BYTES).order(ByteOrder.nativeOrder());
        connection.onWrite(request -> PostResult.POSTED);
        send(ControlType.READ_REQUEST, body -> {
            ReadLayout.putRange(body, id, 100, 0);
            ReadLayout.putAccess(body, 5, 6);
        });
        for (int i = 0; i < 2; i++) {
            send(ControlType.ATOMIC_REQUEST, body -> {
                AtomicLayout.putWord(body, id, AtomicLayout.ADD, 8);
                AtomicLayout.putOperands(body, 7, 0);
            });
        }
        assertThat(word.getLong(0)).isZero();
        worker.run(() -> session.completed(1));
        assertThat(word.getLong(0)).isEqualTo(14);
        region.release();
    }

    /** Covers a device that reads the bytes of a long answer from memory later than those of a short answer. */
    @Test
    void shouldAnswerAReadOnceTheAnswersToEarlierReadsHaveBeenSent() {
        Region region = pool.allocate(LENGTH);
        int id = session.oneSided()
                .grant(region, 0, LENGTH, EnumSet.of(Right.READ), GrantCallback.NONE)
                .id();
        List<Long> answers = new ArrayList<>();
        connection.onWrite(request -> {
            answers.add(request.vecs().totalLength());
            return PostResult.POSTED;
        });
        for (int length : new int[] {4096, 128, 8}) {
            send(ControlType.READ_REQUEST, body -> {
                ReadLayout.putRange(body, id, length, 0);
                ReadLayout.putAccess(body, 5, 6);
            });
        }
        assertThat(answers).containsExactly(4096L);
        worker.run(() -> session.completed(1));
        assertThat(answers).containsExactly(4096L, 128L);
        worker.run(() -> session.completed(1));
        assertThat(answers).containsExactly(4096L, 128L, 8L);
        region.release();
    }

    private void send(ControlType type, Consumer<ByteBuffer> body) {
        ByteBuffer message = ControlLayout.begin(ByteBuffer.allocate(256), type, 0);
        body.accept(message);
        worker.run(() -> session.control(ControlLayout.end(message)));
    }
}
